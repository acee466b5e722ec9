// SPDX-License-Identifier: Apache-2.0
// Post-recursions 2 to LEVELS of all lanes, with the reduction modulo q after recursion
// REDUCE_LEVEL: up to there over integers, from there on over residues. The last one gives a
// coefficient every STRIDE cycles.
module post_path #(
    parameter LANES        = 4,
    parameter LEVELS       = 5,
    parameter REDUCE_LEVEL = 3,
    parameter LEAF         = 5,
    parameter WIDTH        = 148,
    parameter Q_BITS       = 128,
    parameter STEPS        = 18,
    parameter STRIDE       = 5
) (
    input  wire                    clock,
    input  wire                    reset,
    input  wire [Q_BITS-1:0]       modulus,
    output wire                    room,
    input  wire                    reserve,
    input  wire                    in_valid,
    input  wire [LANES*WIDTH-1:0]  in_data,
    input  wire                    next_room,
    output wire                    next_start,
    output wire                    out_valid,
    output wire [LANES*Q_BITS-1:0] out_data
);
  // Index k: the output of recursion k, and the signals of recursion k + 1 to it.
  wire [LEVELS:1] rooms, starts, valids;
  wire [REDUCE_LEVEL*LANES*WIDTH-1:0] integers;
  wire [(LEVELS-REDUCE_LEVEL+1)*LANES*Q_BITS-1:0] residues;
  wire reduced_valid;

  assign room = rooms[1];
  assign starts[1] = reserve;
  assign valids[1] = in_valid;
  assign integers[0 +: LANES*WIDTH] = in_data;
  assign rooms[LEVELS] = next_room;
  assign next_start = starts[LEVELS];
  assign out_valid = LEVELS == REDUCE_LEVEL ? reduced_valid : valids[LEVELS];
  assign out_data = residues[(LEVELS-REDUCE_LEVEL)*LANES*Q_BITS +: LANES*Q_BITS];

  genvar k, lane;
  generate
    for (k = 2; k <= LEVELS; k = k + 1) begin : recursions
      localparam N = (LEAF << k) - 1;
      localparam STEP = k == LEVELS ? STRIDE : 1;
      if (k <= REDUCE_LEVEL) begin : over_integers
        post_level #(.LANES(LANES), .WIDTH(WIDTH), .N(N), .STRIDE(STEP), .MODULAR(0),
                     .Q_BITS(Q_BITS)) level (
            .clock(clock), .reset(reset), .modulus(modulus), .room(rooms[k-1]),
            .reserve(starts[k-1]), .in_valid(valids[k-1]),
            .in_data(integers[(k-2)*LANES*WIDTH +: LANES*WIDTH]), .next_room(rooms[k]),
            .next_start(starts[k]), .out_valid(valids[k]),
            .out_data(integers[(k-1)*LANES*WIDTH +: LANES*WIDTH]));
      end else begin : modulo_q
        post_level #(.LANES(LANES), .WIDTH(Q_BITS), .N(N), .STRIDE(STEP), .MODULAR(1),
                     .Q_BITS(Q_BITS)) level (
            .clock(clock), .reset(reset), .modulus(modulus), .room(rooms[k-1]),
            .reserve(starts[k-1]),
            .in_valid(k == REDUCE_LEVEL + 1 ? reduced_valid : valids[k-1]),
            .in_data(residues[(k-1-REDUCE_LEVEL)*LANES*Q_BITS +: LANES*Q_BITS]),
            .next_room(rooms[k]), .next_start(starts[k]), .out_valid(valids[k]),
            .out_data(residues[(k-REDUCE_LEVEL)*LANES*Q_BITS +: LANES*Q_BITS]));
      end
    end
    for (lane = 0; lane < LANES; lane = lane + 1) begin : reductions
      localparam AT = ((REDUCE_LEVEL - 1) * LANES + lane) * WIDTH;
      wire valid;
      mod_reduce #(.Q_BITS(Q_BITS), .STEPS(STEPS)) reduce (
          .clock(clock), .reset(reset), .modulus(modulus), .in_valid(valids[REDUCE_LEVEL]),
          .in_value(integers[AT +: Q_BITS+STEPS]), .out_valid(valid),
          .out_value(residues[lane*Q_BITS +: Q_BITS]));
      if (lane == 0) begin : one
        assign reduced_valid = valid;
      end else begin : others
        wire unused = &{1'b0, valid};
      end
      if (WIDTH > Q_BITS + STEPS) begin : above
        wire unused = &{1'b0, integers[AT+WIDTH-1 : AT+Q_BITS+STEPS]};
      end
    end
  endgenerate
endmodule
