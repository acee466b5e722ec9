// SPDX-License-Identifier: Apache-2.0
// One sum of products of a polynomial product, in chunks: sum = addend + previous, chunk by chunk
// with carry, kept in a line of CHUNKS words. `previous` is the last sum of the next higher
// accumulator, so that the sums move down by one coefficient with each coefficient of the key
// (transposed form). The word of the line at `read_index`, or the new sum for the lowest
// accumulator (LOWEST), can be captured, chunk by chunk, as a whole coefficient.
module chunk_accumulator #(
    parameter CHUNK_BITS = 27,
    parameter CHUNKS     = 5,
    parameter TOP_BITS   = 40,     // of the last chunk
    parameter INDEX      = 3,
    parameter LOWEST     = 0,
    parameter ADDEND     = 37
) (
    input  wire                                       clock,
    input  wire                                       enable,
    input  wire [INDEX-1:0]                           index,
    input  wire [INDEX-1:0]                           read_index,
    input  wire                                       fresh,      // nothing came before
    input  wire [ADDEND-1:0]                          addend,
    input  wire [TOP_BITS-1:0]                        previous,
    input  wire                                       capture,
    input  wire [INDEX-1:0]                           capture_index,
    output wire [TOP_BITS-1:0]                        held,
    output reg  [(CHUNKS-1)*CHUNK_BITS+TOP_BITS-1:0]  captured
);
  localparam TOP = (CHUNKS - 1) * CHUNK_BITS;

  reg  [TOP_BITS-1:0] line [0:CHUNKS-1];
  reg                 carry;
  wire                last = index == CHUNKS[INDEX-1:0] - 1'b1;
  wire [TOP_BITS-1:0] sum = {{(TOP_BITS - ADDEND){1'b0}}, addend}
                            + (fresh ? {TOP_BITS{1'b0}} : previous)
                            + {{(TOP_BITS - 1){1'b0}}, carry};
  wire [TOP_BITS-1:0] kept = {last ? sum[TOP_BITS-1:CHUNK_BITS] : {(TOP_BITS - CHUNK_BITS){1'b0}},
                              sum[CHUNK_BITS-1:0]};
  wire [TOP_BITS-1:0] source = LOWEST != 0 ? kept : held;
  assign held = line[read_index];

  always @(posedge clock) begin
    if (enable) begin
      line[index] <= kept;
      carry       <= !last && sum[CHUNK_BITS];
    end else begin
      carry <= 1'b0;
    end
    if (capture) begin
      if (capture_index == CHUNKS[INDEX-1:0] - 1'b1) captured[TOP +: TOP_BITS] <= source;
      else captured[capture_index*CHUNK_BITS +: CHUNK_BITS] <= source[CHUNK_BITS-1:0];
    end
  end
endmodule
