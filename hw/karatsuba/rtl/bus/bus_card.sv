// SPDX-License-Identifier: Apache-2.0
// The card that keeps the key on a bus of a chip: it has no link; operands and results are in a
// memory that the processor shares. The processor writes frames (resident_loader) to memory and
// five registers here; the card reads the frames, writes the results and is idle again. Registers,
// of 32 bits: 0, 1 words to read: address / 16 and number; 2, 3 words to write, likewise; 4 starts
// (any value). read_data is bit 0 reading, bit 1 writing, bits 31..16 frames of unknown kinds; it
// is not idle from the cycle after a start on.
module bus_card #(
    parameter int M = 2783,
    parameter int DEGREE = 2420,
    parameter int D1 = 11,
    parameter int D2 = 121,
    parameter int D3 = 253,
    parameter int LANES = 1,
    parameter int CELLS = 398
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         write,
    input  logic [  2:0] address,
    input  logic [ 31:0] write_data,
    output logic [ 31:0] read_data,
    output logic         ar_valid,
    input  logic         ar_ready,
    output logic [ 35:0] ar_addr,
    output logic [  7:0] ar_len,
    input  logic         r_valid,
    output logic         r_ready,
    input  logic [127:0] r_data,
    input  logic         r_last,
    output logic         aw_valid,
    input  logic         aw_ready,
    output logic [ 35:0] aw_addr,
    output logic [  7:0] aw_len,
    output logic         w_valid,
    input  logic         w_ready,
    output logic [127:0] w_data,
    output logic         w_last,
    input  logic         b_valid,
    output logic         b_ready
);
  logic [31:0] source, source_count, target, target_count;
  logic start, reading, writing;
  always_ff @(posedge clk) begin
    if (write)
      case (address)
        3'd0: source <= write_data;
        3'd1: source_count <= write_data;
        3'd2: target <= write_data;
        3'd3: target_count <= write_data;
        default: ;
      endcase
    start <= ~rst & write & (address == 3'd4);
  end

  logic [31:0] unknown_frames;
  assign read_data = {unknown_frames[15:0], 14'd0, writing | start, reading | start};

  logic in_valid, in_ready, out_valid, out_ready;
  logic [127:0] in_data, out_data;
  bus_read #(
      .PLACE_BITS(32)
  ) reader (
      .clk(clk), .rst(rst), .start(start), .place(source), .count(source_count), .busy(reading),
      .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_addr(ar_addr), .ar_len(ar_len),
      .r_valid(r_valid), .r_ready(r_ready), .r_data(r_data), .r_last(r_last),
      .out_valid(in_valid), .out_ready(in_ready), .out_data(in_data)
  );
  resident_card #(
      .M(M), .DEGREE(DEGREE), .D1(D1), .D2(D2), .D3(D3), .LANES(LANES), .CELLS(CELLS)
  ) card (
      .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
      .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data),
      .unknown_frames(unknown_frames)
  );
  bus_write #(
      .PLACE_BITS(32)
  ) writer (
      .clk(clk), .rst(rst), .start(start), .place(target), .count(target_count), .busy(writing),
      .in_valid(out_valid), .in_ready(out_ready), .in_data(out_data),
      .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_addr(aw_addr), .aw_len(aw_len),
      .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_last(w_last),
      .b_valid(b_valid), .b_ready(b_ready)
  );

  logic unused;
  assign unused = &{1'b0, unknown_frames[31:16]};
endmodule
