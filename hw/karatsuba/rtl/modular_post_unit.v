// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one post-recursion on one lane modulo q: outer + middle - low - high of
// residues in [0, q), again in [0, q). The difference is above -2q and below 2q; with 2q added it
// is reduced by two conditional subtractions. Four stages, each with its enable.
module modular_post_unit #(
    parameter WIDTH = 128
) (
    input  wire             clock,
    input  wire [3:0]       enable,
    input  wire [WIDTH-1:0] modulus,
    input  wire             use_outer,
    input  wire             use_middle,
    input  wire [WIDTH-1:0] outer,
    input  wire [WIDTH-1:0] low,
    input  wire [WIDTH-1:0] high,
    input  wire [WIDTH-1:0] middle,
    output reg  [WIDTH-1:0] result
);
  localparam Z = WIDTH;
  reg  [WIDTH:0]   plus, minus;       // below 2q
  reg  [WIDTH+1:0] sum;               // below 4q
  reg  [WIDTH:0]   half;              // below 2q
  wire [WIDTH+2:0] less_two = {1'b0, sum} - {2'b0, modulus, 1'b0};
  wire [WIDTH+1:0] less_one = {1'b0, half} - {2'b0, modulus};
  wire unused = &{1'b0, less_two[WIDTH+1], less_one[WIDTH]};
  always @(posedge clock) begin
    if (enable[0]) begin
      plus  <= {1'b0, use_outer ? outer : {Z{1'b0}}} + {1'b0, use_middle ? middle : {Z{1'b0}}};
      minus <= use_middle ? {1'b0, low} + {1'b0, high} : {(Z + 1){1'b0}};
    end
    if (enable[1]) sum <= {1'b0, plus} + {1'b0, modulus, 1'b0} - {1'b0, minus};
    if (enable[2]) half <= less_two[WIDTH+2] ? sum[WIDTH:0] : less_two[WIDTH:0];
    if (enable[3]) result <= less_one[WIDTH+1] ? half[WIDTH-1:0] : less_one[WIDTH-1:0];
  end
endmodule
