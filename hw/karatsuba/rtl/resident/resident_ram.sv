// SPDX-License-Identifier: Apache-2.0
// Memory with one port to write and one to read; the word comes a cycle after its address. A read
// in the cycle of a write to the same word gives the old value.
module resident_ram #(
    parameter int WIDTH = 128,
    parameter int DEPTH = 16,
    localparam int PLACE_BITS = $clog2(DEPTH)
) (
    input  logic                  clk,
    input  logic                  write,
    input  logic [PLACE_BITS-1:0] write_place,
    input  logic [     WIDTH-1:0] write_word,
    input  logic [PLACE_BITS-1:0] read_place,
    output logic [     WIDTH-1:0] read_word
);
  logic [WIDTH-1:0] words[DEPTH];

  always_ff @(posedge clk) begin
    if (write) words[write_place] <= write_word;
    read_word <= words[read_place];
  end
endmodule
