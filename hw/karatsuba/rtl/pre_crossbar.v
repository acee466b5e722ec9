// SPDX-License-Identifier: Apache-2.0
// Connects the 2^LEVELS lanes of the last pre-computation to UNITS polynomial multipliers. Lane l
// carries the leaves whose recursion k took low + high exactly where bit k of l is set. Its leaves
// are kept in their order of arrival, with room for two sub-polynomials. Leaves leave in ternary
// order (low 0, high 1, low + high 2, first recursion most significant), each to the next
// multiplier in turn, as soon as it is complete: any three in a row go to different multipliers.
module pre_crossbar #(
    parameter LEVELS     = 3,
    parameter UNITS      = 4,
    parameter LEAF_WORDS = 25,
    parameter WORD       = 37,
    parameter TRIPLES    = 10      // products by threes under way, at most
) (
    input  wire                         clock,
    input  wire                         reset,
    input  wire [(1<<LEVELS)-1:0]       in_valid,
    input  wire [(1<<LEVELS)*WORD-1:0]  in_word,
    input  wire                         start,            // a sub-polynomial begins
    output wire                         room,             // another may begin
    input  wire                         triple_finished,  // three products were consumed
    output reg  [UNITS-1:0]             load,
    output wire [UNITS*WORD-1:0]        load_word,
    output wire                         dispatch          // a pair of leaves goes to a multiplier
);
  localparam LANES = 1 << LEVELS;
  localparam ADDRESS = $clog2(2 * LANES * LEAF_WORDS);
  localparam W = $clog2(LEAF_WORDS);
  localparam U = $clog2(UNITS);
  localparam T = $clog2(TRIPLES + 1);
  localparam [W-1:0] BEFORE_LAST = LEAF_WORDS[W-1:0] - {{(W - 2){1'b0}}, 2'd2};

  function integer leaves_of(input integer lane);
    integer bit_index;
    begin
      leaves_of = 2 * LANES;
      for (bit_index = 0; bit_index < LEVELS; bit_index = bit_index + 1)
        if (((lane >> bit_index) & 1) != 0) leaves_of = leaves_of / 2;
    end
  endfunction

  // Dispatch.
  reg  [2*LEVELS-1:0] digits;     // of the next leaf, two bits each, last recursion lowest
  reg  [1:0]          in_flight;
  reg  [T-1:0]        outstanding;
  reg  [U-1:0]        unit;
  reg  [UNITS-1:0]    active;
  reg  [UNITS-1:0]    ending;     // reads its last word
  wire [LEVELS-1:0]   lane_of_leaf;
  wire [LANES-1:0]    available;
  wire [LANES*ADDRESS-1:0] base;
  wire [LEVELS-1:0]   is_two;
  wire first_of_three = digits[1:0] == 2'd0;
  wire last_of_poly = &is_two;

  assign room = in_flight != 2'd2;
  assign dispatch = available[lane_of_leaf] && (!active[unit] || ending[unit])
                    && (!first_of_three || outstanding != TRIPLES[T-1:0]);

  genvar k, l, u;
  generate
    for (k = 0; k < LEVELS; k = k + 1) begin : digit
      wire [1:0] value = digits[2*k +: 2];
      wire steps;
      assign is_two[k] = value == 2'd2;
      assign lane_of_leaf[LEVELS-1-k] = is_two[k];
      if (k == 0) begin : lowest
        assign steps = 1'b1;
      end else begin : others
        assign steps = &is_two[k-1:0];
      end
      always @(posedge clock)
        if (reset) digits[2*k +: 2] <= 2'd0;
        else if (dispatch && steps)
          digits[2*k +: 2] <= is_two[k] ? 2'd0 : value + 2'd1;
    end
  endgenerate

  always @(posedge clock)
    if (reset) begin
      in_flight   <= 2'd0;
      outstanding <= {T{1'b0}};
      unit        <= {U{1'b0}};
    end else begin
      in_flight   <= in_flight + {1'b0, start} - {1'b0, dispatch && last_of_poly};
      outstanding <= outstanding + {{(T - 1){1'b0}}, dispatch && first_of_three}
                     - {{(T - 1){1'b0}}, triple_finished};
      if (dispatch) unit <= unit == UNITS[U-1:0] - 1'b1 ? {U{1'b0}} : unit + 1'b1;
    end

  // Memories of the lanes.
  wire [LANES*UNITS*WORD-1:0] read_words;
  wire [UNITS*ADDRESS-1:0]    unit_address;
  wire [UNITS*LEVELS-1:0]     unit_lane;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : lanes
      localparam LEAVES = leaves_of(l);
      localparam DEPTH = LEAVES * LEAF_WORDS;
      localparam A = $clog2(DEPTH);
      localparam N = $clog2(LEAVES + 1);
      localparam [A-1:0] LAST_ADDRESS = DEPTH[A-1:0] - 1'b1;
      localparam [A-1:0] LAST_BASE = DEPTH[A-1:0] - LEAF_WORDS[A-1:0];
      reg  [A-1:0] write_address, read_base;
      reg  [W-1:0] word;
      reg  [N-1:0] complete;
      wire [UNITS-1:0]   reads;
      wire [UNITS*A-1:0] addresses;
      wire leaf_in  = in_valid[l] && word == LEAF_WORDS[W-1:0] - 1'b1;
      wire leaf_out = dispatch && lane_of_leaf == l;
      assign available[l] = complete != {N{1'b0}};
      assign base[l*ADDRESS +: ADDRESS] = {{(ADDRESS - A){1'b0}}, read_base};
      always @(posedge clock)
        if (reset) begin
          write_address <= {A{1'b0}};
          read_base     <= {A{1'b0}};
          word          <= {W{1'b0}};
          complete      <= {N{1'b0}};
        end else begin
          if (in_valid[l]) begin
            write_address <= write_address == LAST_ADDRESS ? {A{1'b0}} : write_address + 1'b1;
            word          <= leaf_in ? {W{1'b0}} : word + 1'b1;
          end
          if (leaf_out)
            read_base <= read_base == LAST_BASE ? {A{1'b0}} : read_base + LEAF_WORDS[A-1:0];
          complete <= complete + {{(N - 1){1'b0}}, leaf_in} - {{(N - 1){1'b0}}, leaf_out};
        end
      for (u = 0; u < UNITS; u = u + 1) begin : ports
        assign reads[u] = active[u] && unit_lane[u*LEVELS +: LEVELS] == l;
        assign addresses[u*A +: A] = unit_address[u*ADDRESS +: A];
      end
      ram_1wnr #(.WIDTH(WORD), .DEPTH(DEPTH), .ADDRESS(A), .READS(UNITS)) leaves (
          .clock(clock), .write(in_valid[l]), .write_address(write_address),
          .write_data(in_word[l*WORD +: WORD]), .read(reads), .read_address(addresses),
          .read_data(read_words[l*UNITS*WORD +: UNITS*WORD]));
    end
    for (u = 0; u < UNITS; u = u + 1) begin : units
      reg [ADDRESS-1:0] address;
      reg [W-1:0]       word;
      reg [LEVELS-1:0]  lane, lane1;
      wire taken = dispatch && unit == u;
      assign unit_address[u*ADDRESS +: ADDRESS] = address;
      assign unit_lane[u*LEVELS +: LEVELS] = lane;
      always @(posedge clock) begin
        if (reset) begin
          active[u] <= 1'b0;
          ending[u] <= 1'b0;
          load[u]   <= 1'b0;
        end else begin
          if (taken) active[u] <= 1'b1;
          else if (ending[u]) active[u] <= 1'b0;
          ending[u] <= active[u] && word == BEFORE_LAST;
          load[u]   <= active[u];
        end
        if (taken) begin
          lane    <= lane_of_leaf;
          address <= base[lane_of_leaf*ADDRESS +: ADDRESS];
          word    <= {W{1'b0}};
        end else if (active[u]) begin
          address <= address + 1'b1;
          word    <= word + 1'b1;
        end
        if (active[u]) lane1 <= lane;
      end
      wire [LANES*WORD-1:0] choices;
      for (l = 0; l < LANES; l = l + 1) begin : choice
        assign choices[l*WORD +: WORD] = read_words[(l*UNITS+u)*WORD +: WORD];
      end
      assign load_word[u*WORD +: WORD] = choices[lane1*WORD +: WORD];
    end
  endgenerate
endmodule
