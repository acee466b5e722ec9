// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one post-recursion on one lane, over integers: outer + middle - low - high,
// which is not negative and fits WIDTH bits. Two stages, each with its enable.
module post_unit #(
    parameter WIDTH = 148
) (
    input  wire             clock,
    input  wire [1:0]       enable,
    input  wire             use_outer,
    input  wire             use_middle,
    input  wire [WIDTH-1:0] outer,
    input  wire [WIDTH-1:0] low,
    input  wire [WIDTH-1:0] high,
    input  wire [WIDTH-1:0] middle,
    output reg  [WIDTH-1:0] result
);
  reg [WIDTH-1:0] plus, minus;
  always @(posedge clock) begin
    if (enable[0]) begin
      plus  <= (use_outer ? outer : {WIDTH{1'b0}}) + (use_middle ? middle : {WIDTH{1'b0}});
      minus <= use_middle ? low + high : {WIDTH{1'b0}};
    end
    if (enable[1]) result <= plus - minus;
  end
endmodule
