// SPDX-License-Identifier: Apache-2.0
// One pre-recursion of Karatsuba on one lane: passes a polynomial of COEFFS coefficients on, low
// half and then high half, and beside the high half sends low + high. A word is a chunk of the
// key's coefficient (least significant first) and the coefficient of one binary polynomial. The
// key's chunks are added with carry, the small coefficients by one adder. Latency: two cycles.
module pre_unit #(
    parameter CHUNK_BITS = 27,
    parameter CHUNKS     = 5,
    parameter SMALL_BITS = 10,
    parameter COEFFS     = 40
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire                  in_valid,
    input  wire [CHUNK_BITS-1:0] in_chunk,
    input  wire [SMALL_BITS-1:0] in_small,
    output reg                   pass_valid,
    output reg  [CHUNK_BITS-1:0] pass_chunk,
    output reg  [SMALL_BITS-1:0] pass_small,
    output reg                   sum_valid,
    output reg  [CHUNK_BITS-1:0] sum_chunk,
    output reg  [SMALL_BITS-1:0] sum_small,
    output reg                   overflow     // a sum of the key's coefficients left the last chunk
);
  localparam HALF = COEFFS / 2 * CHUNKS;
  localparam ADDRESS = $clog2(HALF);
  localparam INDEX = $clog2(CHUNKS);

  reg [ADDRESS-1:0]    position;
  reg [INDEX-1:0]      chunk_index;
  reg                  upper;
  reg                  valid1, upper1, first1, last1, carry;
  reg [CHUNK_BITS-1:0] chunk1;
  reg [SMALL_BITS-1:0] small1;
  wire [CHUNK_BITS-1:0] low_chunk;
  wire [SMALL_BITS-1:0] low_small;
  wire half_ends  = position == HALF[ADDRESS-1:0] - 1'b1;
  wire chunk_last = chunk_index == CHUNKS[INDEX-1:0] - 1'b1;

  ram_1w1r #(.WIDTH(SMALL_BITS + CHUNK_BITS), .DEPTH(HALF), .ADDRESS(ADDRESS)) low_half (
      .clock(clock), .write(in_valid && !upper), .write_address(position),
      .write_data({in_small, in_chunk}), .read(in_valid && upper), .read_address(position),
      .read_data({low_small, low_chunk}));

  wire [CHUNK_BITS:0] sum = {1'b0, chunk1} + {1'b0, low_chunk}
                            + {{CHUNK_BITS{1'b0}}, carry && !first1};

  always @(posedge clock) begin
    if (reset) begin
      position    <= {ADDRESS{1'b0}};
      chunk_index <= {INDEX{1'b0}};
      upper       <= 1'b0;
      valid1      <= 1'b0;
      pass_valid  <= 1'b0;
      sum_valid   <= 1'b0;
      overflow    <= 1'b0;
    end else begin
      if (in_valid) begin
        position    <= half_ends ? {ADDRESS{1'b0}} : position + 1'b1;
        chunk_index <= chunk_last ? {INDEX{1'b0}} : chunk_index + 1'b1;
        upper       <= upper ^ half_ends;
      end
      valid1     <= in_valid;
      pass_valid <= valid1;
      sum_valid  <= valid1 && upper1;
      overflow   <= valid1 && upper1 && last1 && sum[CHUNK_BITS];
    end
    if (in_valid) begin
      upper1 <= upper;
      first1 <= chunk_index == {INDEX{1'b0}};
      last1  <= chunk_last;
      chunk1 <= in_chunk;
      small1 <= in_small;
    end
    if (valid1) begin
      pass_chunk <= chunk1;
      pass_small <= small1;
      sum_chunk  <= sum[CHUNK_BITS-1:0];
      sum_small  <= small1 + low_small;
      carry      <= sum[CHUNK_BITS];
    end
  end
endmodule
