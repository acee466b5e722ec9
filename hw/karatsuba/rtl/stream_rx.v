// SPDX-License-Identifier: Apache-2.0
// Receiving end of the host's stream: 128-bit bursts under valid/ready, two registers deep, so that
// ready comes from a register and a burst per cycle passes. After the burst marked last it takes
// nothing until `reset`. While `drop` is set, it takes and discards bursts up to the last one.
module stream_rx (
    input  wire         clock,
    input  wire         reset,        // a new job: discards everything
    input  wire         open,         // bursts may come
    input  wire         drop,
    input  wire         drop_all,     // discards everything: after an abort
    input  wire [7:0]   closed,       // cycles of 256 in which the stream is shut
    input  wire         in_valid,
    output reg          in_ready,
    input  wire [127:0] in_data,
    input  wire         in_last,
    output wire         out_valid,
    input  wire         out_ready,
    output wire [127:0] out_data,
    output wire         out_last,
    output wire         accepted,     // a burst was taken in this cycle
    output reg          last_seen
);
  reg [128:0] head, tail;
  reg [1:0]   count;
  wire        link_open;
  throttle gate (.clock(clock), .reset(reset), .closed(closed), .open(link_open));

  assign accepted  = in_valid && in_ready;
  assign out_valid = count != 2'd0;
  assign {out_last, out_data} = head;
  wire push = accepted && !drop && !drop_all;
  wire pop  = out_valid && out_ready;
  wire [1:0] next_count = count + {1'b0, push} - {1'b0, pop};
  wire ends = last_seen || (accepted && in_last);

  always @(posedge clock) begin
    if (push && (count == 2'd0 || (count == 2'd1 && pop))) head <= {in_last, in_data};
    else if (pop) head <= tail;
    if (push) tail <= {in_last, in_data};
    if (reset) begin
      count     <= 2'd0;
      in_ready  <= 1'b0;
      last_seen <= 1'b0;
    end else if (drop || drop_all) begin
      count     <= 2'd0;
      in_ready  <= drop_all || !ends;
      last_seen <= ends;
    end else begin
      count     <= next_count;
      in_ready  <= open && link_open && next_count != 2'd2 && !ends;
      last_seen <= ends;
    end
  end
endmodule
