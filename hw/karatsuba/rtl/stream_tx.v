// SPDX-License-Identifier: Apache-2.0
// Sending end: 128-bit bursts under valid/ready from a register; the last of TOTAL is marked. It
// sends nothing before `hold` bursts wait in the buffer or all have been produced, so that a
// transfer can run without a gap. An offered burst stays until it is taken, also through `reset`.
module stream_tx #(
    parameter TOTAL  = 129195,
    parameter COUNT  = 18,          // clog2(TOTAL + 1)
    parameter LEVEL  = 17
) (
    input  wire             clock,
    input  wire             power_on,  // reset of everything
    input  wire             reset,     // a new job
    input  wire [LEVEL-1:0] hold,
    input  wire [7:0]       closed,    // cycles of 256 in which the stream is shut
    input  wire             produced,  // a burst was written into the buffer
    input  wire [LEVEL-1:0] level,
    input  wire             in_valid,
    output wire             in_ready,
    input  wire [127:0]     in_data,
    output reg              out_valid,
    input  wire             out_ready,
    output reg  [127:0]     out_data,
    output reg              out_last,
    output wire             sent,      // a burst was taken in this cycle
    output wire             finished   // the last burst was taken
);
  localparam [COUNT-1:0] ALL = TOTAL[COUNT-1:0];
  reg  [COUNT-1:0] made, taken;
  reg              flowing;
  wire             link_open;
  throttle gate (.clock(clock), .reset(reset), .closed(closed), .open(link_open));

  assign in_ready = flowing && link_open && (!out_valid || out_ready);
  assign sent = out_valid && out_ready;
  assign finished = sent && out_last;
  wire take = in_valid && in_ready;

  always @(posedge clock) begin
    if (reset) begin
      made    <= {COUNT{1'b0}};
      taken   <= {COUNT{1'b0}};
      flowing <= 1'b0;
    end else begin
      if (produced) made <= made + 1'b1;
      if (take) taken <= taken + 1'b1;
      if (level >= hold || made == ALL) flowing <= 1'b1;
    end
    if (power_on) begin
      out_valid <= 1'b0;
    end else if (take && !reset) begin
      out_valid <= 1'b1;
      out_data  <= in_data;
      out_last  <= taken == ALL - 1'b1;
    end else if (sent) begin
      out_valid <= 1'b0;
    end
  end
endmodule
