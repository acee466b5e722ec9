// SPDX-License-Identifier: Apache-2.0
// Memory with one port to write and one to read; the word read appears after the next edge. No user
// reads an address in the cycle in which it is written.
module ram_1w1r #(
    parameter WIDTH = 32,
    parameter DEPTH = 16,
    parameter ADDRESS = 4
) (
    input  wire               clock,
    input  wire               write,
    input  wire [ADDRESS-1:0] write_address,
    input  wire [WIDTH-1:0]   write_data,
    input  wire               read,
    input  wire [ADDRESS-1:0] read_address,
    output reg  [WIDTH-1:0]   read_data
);
  reg [WIDTH-1:0] memory [0:DEPTH-1];
  always @(posedge clock) begin
    if (write) memory[write_address] <= write_data;
    if (read) read_data <= memory[read_address];
  end
endmodule
