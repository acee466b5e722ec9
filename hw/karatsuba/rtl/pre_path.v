// SPDX-License-Identifier: Apache-2.0
// The pre-recursions in cascade: one lane in, 2^LEVELS lanes out. Recursion k turns lane l into
// lanes l (low and high in turn) and l + 2^(k-1) (low + high).
module pre_path #(
    parameter LEVELS     = 3,
    parameter CHUNK_BITS = 27,
    parameter CHUNKS     = 5,
    parameter SMALL_BITS = 10,
    parameter COEFFS     = 40
) (
    input  wire                                                clock,
    input  wire                                                reset,
    input  wire                                                in_valid,
    input  wire [SMALL_BITS+CHUNK_BITS-1:0]                    in_word,
    output wire [(1<<LEVELS)-1:0]                              out_valid,
    output wire [(1<<LEVELS)*(SMALL_BITS+CHUNK_BITS)-1:0]      out_word,
    output wire                                                overflow
);
  localparam WORD = SMALL_BITS + CHUNK_BITS;
  // Lanes of all recursions one after the other: the input lanes of recursion k begin at 2^k - 1.
  localparam ALL = (2 << LEVELS) - 1;
  localparam OUT = (1 << LEVELS) - 1;
  wire [ALL-1:0]      valid;
  wire [ALL*WORD-1:0] word;
  wire [OUT-1:0]      overflows;
  assign valid[0] = in_valid;
  assign word[WORD-1:0] = in_word;
  assign out_valid = valid[ALL-1:OUT];
  assign out_word = word[ALL*WORD-1:OUT*WORD];
  assign overflow = |overflows;

  genvar k, l;
  generate
    for (k = 0; k < LEVELS; k = k + 1) begin : recursions
      for (l = 0; l < (1 << k); l = l + 1) begin : lanes
        localparam IN = (1 << k) - 1 + l;
        localparam PASS = (2 << k) - 1 + l;
        localparam SUM = PASS + (1 << k);
        pre_unit #(.CHUNK_BITS(CHUNK_BITS), .CHUNKS(CHUNKS), .SMALL_BITS(SMALL_BITS),
                   .COEFFS(COEFFS >> k)) unit (
            .clock(clock), .reset(reset), .in_valid(valid[IN]),
            .in_chunk(word[IN*WORD +: CHUNK_BITS]),
            .in_small(word[IN*WORD+CHUNK_BITS +: SMALL_BITS]),
            .pass_valid(valid[PASS]), .pass_chunk(word[PASS*WORD +: CHUNK_BITS]),
            .pass_small(word[PASS*WORD+CHUNK_BITS +: SMALL_BITS]),
            .sum_valid(valid[SUM]), .sum_chunk(word[SUM*WORD +: CHUNK_BITS]),
            .sum_small(word[SUM*WORD+CHUNK_BITS +: SMALL_BITS]), .overflow(overflows[IN]));
      end
    end
  endgenerate
endmodule
