// SPDX-License-Identifier: Apache-2.0
// First in, first out, of 2^k words. The writer counts the free places itself: `taken` reports that
// one became free.
module resident_fifo #(
    parameter int WIDTH = 128,
    parameter int LOG_DEPTH = 6
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             write,
    input  logic [WIDTH-1:0] write_word,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_word,
    output logic             taken
);
  logic [WIDTH-1:0] words[1 << LOG_DEPTH];
  logic [LOG_DEPTH:0] head, tail;

  assign out_valid = head != tail;
  assign out_word  = words[head[LOG_DEPTH-1:0]];
  assign taken     = out_valid & out_ready;

  always_ff @(posedge clk) begin
    if (write) words[tail[LOG_DEPTH-1:0]] <= write_word;
    if (rst) begin
      head <= '0;
      tail <= '0;
    end else begin
      if (write) tail <= tail + 1'b1;
      if (taken) head <= head + 1'b1;
    end
  end
endmodule
