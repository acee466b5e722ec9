// SPDX-License-Identifier: Apache-2.0
// Cells that each add up the coefficients of the key that one coefficient of the product needs:
// cell c adds `addend` if its bit of `window`, the latest `in_bit` of earlier cycles, is set. A sum
// is cut into chunks. Chunk i works i cycles behind chunk 0, so that a carry crosses one chunk a
// cycle: addend, shift and window[c + i] of chunk i belong to the step that chunk 0 did i cycles
// earlier. While `shift` is set, sums move to the cell below, those of cell 0 leave, zeros enter;
// `addend` must then be 0. The window is inside so that Verilator's code names no lane and exists
// once for all lanes.
module resident_mac_array #(
    parameter int CELLS = 398,
    parameter int CHUNKS = 5,
    parameter int CHUNK_BITS = 28
) (
    input  logic                                     clk,
    input  logic [      CHUNKS-1:0]                  shift,
    input  logic [CHUNKS*CHUNK_BITS-1:0]             addend,
    input  logic                                     in_bit,
    output logic [CHUNKS*CHUNK_BITS-1:0]             out
);  /*verilator no_inline_module*/
  logic [CELLS+CHUNKS-2:0] window;
  always_ff @(posedge clk) window <= {window[CELLS+CHUNKS-3:0], in_bit};

  genvar c, i;
  generate
    for (c = 0; c < CELLS; c++) begin : g_cell
      for (i = 0; i < CHUNKS; i++) begin : g_chunk
        // The carry to the next chunk is the leading bit.
        logic [CHUNK_BITS:0] sum;
        logic [CHUNK_BITS-1:0] above;
        logic carry;
        if (c == CELLS - 1) begin : g_last
          assign above = '0;
        end else begin : g_inner
          assign above = g_cell[c+1].g_chunk[i].sum[CHUNK_BITS-1:0];
        end
        if (i == 0) begin : g_lowest
          assign carry = 1'b0;
        end else begin : g_higher
          assign carry = g_cell[c].g_chunk[i-1].sum[CHUNK_BITS];
        end
        if (i == CHUNKS - 1) begin : g_highest
          // Sums are below 2^(CHUNKS * CHUNK_BITS).
          logic unused;
          assign unused = &{1'b0, sum[CHUNK_BITS]};
        end
        always_ff @(posedge clk)
          sum <= {1'b0, shift[i] ? above : sum[CHUNK_BITS-1:0]}
               + {1'b0, addend[i*CHUNK_BITS+:CHUNK_BITS] & {CHUNK_BITS{window[c+i]}}}
               + {{CHUNK_BITS{1'b0}}, carry};
      end
    end
    for (i = 0; i < CHUNKS; i++) begin : g_out
      assign out[i*CHUNK_BITS+:CHUNK_BITS] = g_cell[0].g_chunk[i].sum[CHUNK_BITS-1:0];
    end
  endgenerate
endmodule
