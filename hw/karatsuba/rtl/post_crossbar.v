// SPDX-License-Identifier: Apache-2.0
// Connects the multipliers to the first post-recursion, and contains it. Every multiplier writes
// its products into its own bank, SLOTS of them in turn. Leaf i of the stream is in slot (i /
// UNITS) modulo SLOTS of bank i modulo UNITS, so that low, high and middle of three lie in three
// banks and are read in the same cycle. All LANES results of a coefficient share a word.
module post_crossbar #(
    parameter UNITS = 4,
    parameter SLOTS = 8,
    parameter SLOT  = 3,
    parameter LANES = 4,
    parameter WIDTH = 148,
    parameter N     = 9,
    parameter INDEX = 4,
    parameter STRIDE = 1
) (
    input  wire                         clock,
    input  wire                         reset,
    input  wire [UNITS-1:0]             write,
    input  wire [UNITS*SLOT-1:0]        write_slot,
    input  wire [UNITS*INDEX-1:0]       write_index,
    input  wire [UNITS*LANES*WIDTH-1:0] write_data,
    input  wire [UNITS-1:0]             done,
    output wire                         triple_finished,
    input  wire                         next_room,
    output wire                         next_start,
    output wire                         out_valid,
    output wire [LANES*WIDTH-1:0]       out_data
);
  localparam U = $clog2(UNITS);
  localparam ADDRESS = SLOT + INDEX;
  localparam WORD = LANES * WIDTH;
  localparam PLACE = U + SLOT;

  // {slot, unit} of the leaf after this one.
  function [PLACE-1:0] after(input [PLACE-1:0] place);
    after = place[U-1:0] == UNITS[U-1:0] - 1'b1
        ? {place[PLACE-1:U] == SLOTS[SLOT-1:0] - 1'b1 ? {SLOT{1'b0}} : place[PLACE-1:U] + 1'b1,
           {U{1'b0}}}
        : {place[PLACE-1:U], place[U-1:0] + 1'b1};
  endfunction

  reg  [PLACE-1:0] low_place, high_place, middle_place;   // of the three that are read
  reg  [PLACE-1:0] next_place;
  wire [PLACE-1:0] next_high = after(next_place);
  wire [PLACE-1:0] next_middle = after(next_high);
  wire [UNITS-1:0] full;
  wire ready = full[next_place[U-1:0]] && full[next_high[U-1:0]] && full[next_middle[U-1:0]];

  wire start, read, use_outer, outer_high, use_middle;
  wire [INDEX-1:0] outer_index, middle_index;
  assign next_start = start;
  post_control #(.N(N), .INDEX(INDEX), .STRIDE(STRIDE)) walk (
      .clock(clock), .reset(reset), .ready(ready), .room(next_room), .start(start),
      .finished(triple_finished), .read(read), .outer(use_outer), .outer_high(outer_high),
      .outer_index(outer_index), .middle(use_middle), .middle_index(middle_index));

  wire [PLACE-1:0] outer_place = outer_high ? high_place : low_place;
  wire [UNITS*WORD-1:0] outer_words, middle_words;
  reg  [U-1:0] outer_unit, low_unit, high_unit, middle_unit;
  reg  [3:0]   enable;
  reg  [1:0]   outer_used, middle_used;
  reg  [WORD-1:0] outer, low, high, middle;

  genvar u, lane;
  generate
    for (u = 0; u < UNITS; u = u + 1) begin : banks
      reg  [SLOT:0] products;
      wire is_low = low_place[U-1:0] == u;
      wire is_high = high_place[U-1:0] == u;
      wire is_middle = middle_place[U-1:0] == u;
      wire taken = start && (next_place[U-1:0] == u || next_high[U-1:0] == u
                             || next_middle[U-1:0] == u);
      wire [SLOT-1:0] slot = is_low ? low_place[PLACE-1:U]
                                    : is_high ? high_place[PLACE-1:U] : middle_place[PLACE-1:U];
      wire [ADDRESS-1:0] write_address =
          {write_slot[u*SLOT +: SLOT], write_index[u*INDEX +: INDEX]};
      assign full[u] = products != {(SLOT + 1){1'b0}};
      always @(posedge clock)
        if (reset) products <= {(SLOT + 1){1'b0}};
        else products <= products + {{SLOT{1'b0}}, done[u]} - {{SLOT{1'b0}}, taken};
      ram_1w1r #(.WIDTH(WORD), .DEPTH(1 << ADDRESS), .ADDRESS(ADDRESS)) outers (
          .clock(clock), .write(write[u]), .write_address(write_address),
          .write_data(write_data[u*WORD +: WORD]),
          .read(read && use_outer && outer_place[U-1:0] == u),
          .read_address({outer_place[PLACE-1:U], outer_index}),
          .read_data(outer_words[u*WORD +: WORD]));
      ram_1w1r #(.WIDTH(WORD), .DEPTH(1 << ADDRESS), .ADDRESS(ADDRESS)) middles (
          .clock(clock), .write(write[u]), .write_address(write_address),
          .write_data(write_data[u*WORD +: WORD]),
          .read(read && use_middle && (is_low || is_high || is_middle)),
          .read_address({slot, middle_index}), .read_data(middle_words[u*WORD +: WORD]));
    end
  endgenerate

  always @(posedge clock) begin
    if (reset) begin
      next_place <= {PLACE{1'b0}};
      enable     <= 4'd0;
    end else begin
      if (start) next_place <= after(next_middle);
      enable <= {enable[2:0], read};
    end
    if (start) begin
      low_place    <= next_place;
      high_place   <= next_high;
      middle_place <= next_middle;
    end
    if (read) begin
      outer_unit  <= outer_place[U-1:0];
      low_unit    <= low_place[U-1:0];
      high_unit   <= high_place[U-1:0];
      middle_unit <= middle_place[U-1:0];
      outer_used[0]  <= use_outer;
      middle_used[0] <= use_middle;
    end
    if (enable[0]) begin
      outer  <= outer_words[outer_unit*WORD +: WORD];
      low    <= middle_words[low_unit*WORD +: WORD];
      high   <= middle_words[high_unit*WORD +: WORD];
      middle <= middle_words[middle_unit*WORD +: WORD];
      outer_used[1]  <= outer_used[0];
      middle_used[1] <= middle_used[0];
    end
  end

  assign out_valid = enable[3];
  generate
    for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
      post_unit #(.WIDTH(WIDTH)) unit (
          .clock(clock), .enable(enable[2:1]), .use_outer(outer_used[1]),
          .use_middle(middle_used[1]), .outer(outer[lane*WIDTH +: WIDTH]),
          .low(low[lane*WIDTH +: WIDTH]), .high(high[lane*WIDTH +: WIDTH]),
          .middle(middle[lane*WIDTH +: WIDTH]), .result(out_data[lane*WIDTH +: WIDTH]));
    end
  endgenerate
endmodule
