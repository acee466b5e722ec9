// SPDX-License-Identifier: Apache-2.0
// LANES products of a small integer by one wide integer that comes in chunks, least significant
// first, one per cycle: LANES multipliers of SMALL_BITS x CHUNK_BITS bits and the reconstruction, a
// carry. The product leaves in chunks as well; the last one holds all that is left above. Two
// stages: enable[0] multiplies, enable[1], with `first` and `last` of that chunk, reconstructs.
module int_mul #(
    parameter CHUNK_BITS = 27,
    parameter SMALL_BITS = 10,
    parameter LANES      = 4
) (
    input  wire                                       clock,
    input  wire [1:0]                                 enable,
    input  wire                                       first,
    input  wire                                       last,
    input  wire [LANES*SMALL_BITS-1:0]                factors,
    input  wire [CHUNK_BITS-1:0]                      chunk,
    output wire [LANES*(SMALL_BITS+CHUNK_BITS)-1:0]   product
);
  localparam WIDE = SMALL_BITS + CHUNK_BITS;
  genvar lane;
  generate
    for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
      reg  [WIDE-1:0]       partial;
      reg  [SMALL_BITS-1:0] carry;
      reg  [WIDE-1:0]       result;
      wire [WIDE-1:0] sum = partial
          + {{CHUNK_BITS{1'b0}}, first ? {SMALL_BITS{1'b0}} : carry};
      always @(posedge clock) begin
        if (enable[0])
          partial <= {{CHUNK_BITS{1'b0}}, factors[lane*SMALL_BITS +: SMALL_BITS]}
                     * {{SMALL_BITS{1'b0}}, chunk};
        if (enable[1]) begin
          carry  <= sum[WIDE-1:CHUNK_BITS];
          result <= {last ? sum[WIDE-1:CHUNK_BITS] : {SMALL_BITS{1'b0}}, sum[CHUNK_BITS-1:0]};
        end
      end
      assign product[lane*WIDE +: WIDE] = result;
    end
  endgenerate
endmodule
