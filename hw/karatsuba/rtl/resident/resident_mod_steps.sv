// SPDX-License-Identifier: Apache-2.0
// in_value modulo q for values below q * 2^GROWTH: GROWTH conditional subtractions, one a cycle.
module resident_mod_steps #(
    parameter int WIDTH = 125,
    parameter int GROWTH = 12
) (
    input  logic                    clk,
    input  logic [       WIDTH-1:0] q,
    input  logic [WIDTH+GROWTH-1:0] in_value,
    output logic [       WIDTH-1:0] out_value
);
  genvar k;
  generate
    for (k = GROWTH - 1; k >= 0; k--) begin : g_step
      // Below q * 2^(k+1) before the step, and below q * 2^k after it.
      logic [WIDTH+k:0] value;
      logic [WIDTH+k+1:0] less;
      logic [WIDTH+k-1:0] remainder;
      if (k == GROWTH - 1) begin : g_first
        assign value = in_value;
      end else begin : g_next
        assign value = g_step[k+1].remainder;
      end
      assign less = {1'b0, value} - {2'b00, q, {k{1'b0}}};
      always_ff @(posedge clk)
        remainder <= less[WIDTH+k+1] ? value[WIDTH+k-1:0] : less[WIDTH+k-1:0];
    end
  endgenerate
  assign out_value = g_step[0].remainder;
endmodule
