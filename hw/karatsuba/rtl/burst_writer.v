// SPDX-License-Identifier: Apache-2.0
// Takes a coefficient of every lane, at most one in CHUNKS cycles, and makes CHUNKS bursts of it:
// burst k has chunk k of lane e in bits 32e to 32e + 31.
module burst_writer #(
    parameter CHUNK_BITS = 27,
    parameter CHUNKS     = 5,
    parameter LANES      = 4,      // at most 4
    parameter Q_BITS     = 128
) (
    input  wire                    clock,
    input  wire                    reset,
    input  wire                    in_valid,
    input  wire [LANES*Q_BITS-1:0] in_data,
    output wire                    write,
    output wire [127:0]            data
);
  localparam WHOLE = CHUNKS * CHUNK_BITS;
  localparam K = $clog2(CHUNKS + 1);
  reg [K-1:0] left;
  assign write = left != {K{1'b0}};
  always @(posedge clock)
    if (reset) left <= {K{1'b0}};
    else if (in_valid) left <= CHUNKS[K-1:0];
    else if (write) left <= left - 1'b1;

  genvar lane;
  generate
    for (lane = 0; lane < 4; lane = lane + 1) begin : slots
      if (lane < LANES) begin : used
        reg [WHOLE-1:0] rest;
        always @(posedge clock)
          if (in_valid) rest <= {{(WHOLE - Q_BITS){1'b0}}, in_data[lane*Q_BITS +: Q_BITS]};
          else if (write) rest <= rest >> CHUNK_BITS;
        assign data[32*lane +: 32] = {{(32 - CHUNK_BITS){1'b0}}, rest[CHUNK_BITS-1:0]};
      end else begin : empty
        assign data[32*lane +: 32] = 32'd0;
      end
    end
  endgenerate
endmodule
