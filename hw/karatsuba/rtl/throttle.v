// SPDX-License-Identifier: Apache-2.0
// Closes a stream in `closed` of every 256 cycles, evenly spread: a slower link.
module throttle (
    input  wire       clock,
    input  wire       reset,
    input  wire [7:0] closed,
    output reg        open
);
  reg  [7:0] phase;
  wire [8:0] next = {1'b0, phase} + {1'b0, closed};
  always @(posedge clock) begin
    if (reset) begin
      phase <= 8'd0;
      open  <= 1'b1;
    end else begin
      phase <= next[7:0];
      open  <= !next[8];
    end
  end
endmodule
