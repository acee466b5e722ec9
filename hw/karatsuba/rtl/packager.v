// SPDX-License-Identifier: Apache-2.0
// Unpacks the host's bursts and keeps them until a sub-polynomial is complete, which then goes to
// the pre-computation without a gap. Burst k of a coefficient has chunk k of the key's coefficient
// in bits 0..31 and the coefficient of binary polynomial k in bits 32..63; all other bits are 0.
// Checks in every burst the stream's length and that these bits are 0.
module packager #(
    parameter CHUNK_BITS = 27,
    parameter CHUNKS     = 5,
    parameter IN_BITS    = 7,     // of a binary polynomial's coefficient
    parameter COEFFS     = 40,
    parameter SUBPOLYS   = 729,
    parameter DEPTH_LOG  = 9      // 2^DEPTH_LOG bursts: at least two sub-polynomials
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire [CHUNKS-1:0]     lanes,        // binary polynomials in use
    input  wire                  in_valid,
    output wire                  in_ready,
    input  wire [127:0]          in_data,
    input  wire                  in_last,
    input  wire                  room,         // the next stage takes another sub-polynomial
    output wire                  start,        // a sub-polynomial begins
    output reg                   out_valid,
    output wire [CHUNK_BITS-1:0] out_chunk,
    output wire [IN_BITS-1:0]    out_small,
    output reg                   truncated,
    output reg                   too_long,
    output reg                   malformed
);
  localparam WORDS = COEFFS * CHUNKS;
  localparam POSITION = $clog2(WORDS);
  localparam POLYS = $clog2(SUBPOLYS + 1);
  localparam CHUNK_INDEX = $clog2(CHUNKS);
  localparam WORD = CHUNK_BITS + IN_BITS;

  reg [POSITION-1:0]    in_position, out_position;
  reg [CHUNK_INDEX-1:0] in_chunk_index;
  reg [POLYS-1:0]       in_polys, ready_polys;
  reg [DEPTH_LOG-1:0]   write_address, read_address;
  reg [DEPTH_LOG:0]     stored;
  reg                   sending;

  assign in_ready = !stored[DEPTH_LOG];
  wire push      = in_valid && in_ready;
  wire poly_ends = in_position == WORDS[POSITION-1:0] - 1'b1;
  wire is_final  = poly_ends && in_polys == SUBPOLYS[POLYS-1:0] - 1'b1;
  wire bad_chunk = (in_data[31:0] >> CHUNK_BITS) != 32'd0;
  wire bad_small = (in_data[63:32] >> IN_BITS) != 32'd0
                   || (!lanes[in_chunk_index] && in_data[63:32] != 32'd0);
  wire bad_rest  = in_data[127:64] != 64'd0;

  wire send_ends = out_position == WORDS[POSITION-1:0] - 1'b1;
  assign start   = ready_polys != {POLYS{1'b0}} && room && (!sending || send_ends);
  wire poly_in   = push && poly_ends;

  ram_1w1r #(.WIDTH(WORD), .DEPTH(1 << DEPTH_LOG), .ADDRESS(DEPTH_LOG)) store (
      .clock(clock), .write(push), .write_address(write_address),
      .write_data({in_data[32 +: IN_BITS], in_data[CHUNK_BITS-1:0]}),
      .read(sending), .read_address(read_address), .read_data({out_small, out_chunk}));

  always @(posedge clock) begin
    if (reset) begin
      in_position    <= {POSITION{1'b0}};
      in_chunk_index <= {CHUNK_INDEX{1'b0}};
      in_polys       <= {POLYS{1'b0}};
      write_address  <= {DEPTH_LOG{1'b0}};
      truncated      <= 1'b0;
      too_long       <= 1'b0;
      malformed      <= 1'b0;
    end else if (push) begin
      in_position    <= poly_ends ? {POSITION{1'b0}} : in_position + 1'b1;
      in_chunk_index <= in_chunk_index == CHUNKS[CHUNK_INDEX-1:0] - 1'b1 ? {CHUNK_INDEX{1'b0}}
                                                                         : in_chunk_index + 1'b1;
      if (poly_ends) in_polys <= in_polys + 1'b1;
      write_address <= write_address + 1'b1;
      truncated     <= in_last && !is_final;
      too_long      <= is_final && !in_last;
      malformed     <= bad_chunk || bad_small || bad_rest;
    end
    if (reset) begin
      stored       <= {(DEPTH_LOG + 1){1'b0}};
      ready_polys  <= {POLYS{1'b0}};
      out_position <= {POSITION{1'b0}};
      read_address <= {DEPTH_LOG{1'b0}};
      sending      <= 1'b0;
      out_valid    <= 1'b0;
    end else begin
      stored      <= stored + {{DEPTH_LOG{1'b0}}, push} - {{DEPTH_LOG{1'b0}}, sending};
      ready_polys <= ready_polys + {{(POLYS - 1){1'b0}}, poly_in} - {{(POLYS - 1){1'b0}}, start};
      out_valid   <= sending;
      if (start) sending <= 1'b1;
      else if (send_ends) sending <= 1'b0;
      if (sending) begin
        out_position <= send_ends ? {POSITION{1'b0}} : out_position + 1'b1;
        read_address <= read_address + 1'b1;
      end
    end
  end
endmodule
