// SPDX-License-Identifier: Apache-2.0
// A word, CYCLES cycles later; CYCLES is at least 1.
module resident_delay #(
    parameter int WIDTH = 28,
    parameter int CYCLES = 1
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] in_word,
    output logic [WIDTH-1:0] out_word
);
  logic [CYCLES*WIDTH-1:0] late;
  generate
    if (CYCLES == 1) begin : g_one
      always_ff @(posedge clk) late <= in_word;
    end else begin : g_more
      always_ff @(posedge clk) late <= {late[(CYCLES-1)*WIDTH-1:0], in_word};
    end
  endgenerate
  assign out_word = late[CYCLES*WIDTH-1-:WIDTH];
endmodule
