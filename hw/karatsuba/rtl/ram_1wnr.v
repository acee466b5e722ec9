// SPDX-License-Identifier: Apache-2.0
// Memory with one port to write and READS ports to read (as many copies on a device whose blocks
// have one); words read appear after the next edge.
module ram_1wnr #(
    parameter WIDTH = 32,
    parameter DEPTH = 16,
    parameter ADDRESS = 4,
    parameter READS = 4
) (
    input  wire                     clock,
    input  wire                     write,
    input  wire [ADDRESS-1:0]       write_address,
    input  wire [WIDTH-1:0]         write_data,
    input  wire [READS-1:0]         read,
    input  wire [READS*ADDRESS-1:0] read_address,
    output wire [READS*WIDTH-1:0]   read_data
);
  genvar port;
  generate
    for (port = 0; port < READS; port = port + 1) begin : copies
      ram_1w1r #(.WIDTH(WIDTH), .DEPTH(DEPTH), .ADDRESS(ADDRESS)) copy (
          .clock(clock), .write(write), .write_address(write_address), .write_data(write_data),
          .read(read[port]), .read_address(read_address[port*ADDRESS +: ADDRESS]),
          .read_data(read_data[port*WIDTH +: WIDTH]));
    end
  endgenerate
endmodule
