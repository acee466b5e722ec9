// SPDX-License-Identifier: Apache-2.0
// First in, first out memory of 2^DEPTH_LOG bursts for the results. `space` is set if RESERVE
// bursts fit beside those that are reserved and have not arrived yet; `reserve` takes that room.
module buffer #(
    parameter DEPTH_LOG = 16,
    parameter RESERVE   = 1595
) (
    input  wire               clock,
    input  wire               reset,
    output wire               space,
    input  wire               reserve,
    input  wire               write,
    input  wire [127:0]       write_data,
    output wire               out_valid,
    input  wire               out_ready,
    output wire [127:0]       out_data,
    output reg  [DEPTH_LOG:0] level        // bursts in memory
);
  localparam [DEPTH_LOG:0] DEPTH = {1'b1, {DEPTH_LOG{1'b0}}};
  localparam [DEPTH_LOG:0] BLOCK = RESERVE[DEPTH_LOG:0];
  reg  [DEPTH_LOG-1:0] write_address, read_address;
  reg  [DEPTH_LOG:0]   free_bursts;
  reg                  valid;
  wire read = level != {(DEPTH_LOG + 1){1'b0}} && (!valid || out_ready);

  assign space = free_bursts >= BLOCK;
  assign out_valid = valid;
  ram_1w1r #(.WIDTH(128), .DEPTH(1 << DEPTH_LOG), .ADDRESS(DEPTH_LOG)) bursts (
      .clock(clock), .write(write), .write_address(write_address), .write_data(write_data),
      .read(read), .read_address(read_address), .read_data(out_data));

  always @(posedge clock)
    if (reset) begin
      write_address <= {DEPTH_LOG{1'b0}};
      read_address  <= {DEPTH_LOG{1'b0}};
      level         <= {(DEPTH_LOG + 1){1'b0}};
      free_bursts   <= DEPTH;
      valid         <= 1'b0;
    end else begin
      if (write) write_address <= write_address + 1'b1;
      if (read) read_address <= read_address + 1'b1;
      level <= level + {{DEPTH_LOG{1'b0}}, write} - {{DEPTH_LOG{1'b0}}, read};
      free_bursts <= free_bursts + {{DEPTH_LOG{1'b0}}, read}
                     - (reserve ? BLOCK : {(DEPTH_LOG + 1){1'b0}});
      valid <= read || (valid && !out_ready);
    end
endmodule
