// SPDX-License-Identifier: Apache-2.0
// Reads `count` words of 16 bytes from a shared memory, from word address `place` on, through the
// read channels of an AXI4 bus, and passes them on as a stream. One burst at a time has at most 16
// words and ends at a multiple of 16 words: none crosses 4 KB.
module bus_read #(
    parameter int PLACE_BITS = 36
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  start,
    input  logic [PLACE_BITS-1:0] place,
    input  logic [          31:0] count,
    output logic                  busy,
    output logic                  ar_valid,
    input  logic                  ar_ready,
    output logic [PLACE_BITS+3:0] ar_addr,
    output logic [           7:0] ar_len,
    input  logic                  r_valid,
    output logic                  r_ready,
    input  logic [         127:0] r_data,
    input  logic                  r_last,
    output logic                  out_valid,
    input  logic                  out_ready,
    output logic [         127:0] out_data
);
  logic [PLACE_BITS-1:0] next;
  logic [31:0] left;
  logic asked;  // a requested burst has not ended
  logic [4:0] room, length;

  assign room = 5'd16 - {1'b0, next[3:0]};
  assign length = left < {27'd0, room} ? left[4:0] : room;
  assign busy = asked | (left != '0);
  assign ar_valid = ~asked & (left != '0);
  assign ar_addr = {next, 4'd0};
  assign ar_len = {3'd0, length} - 8'd1;
  assign out_valid = r_valid & asked;
  assign out_data = r_data;
  assign r_ready = out_ready & asked;

  always_ff @(posedge clk) begin
    if (start & ~busy) begin
      next <= place;
      left <= count;
    end
    if (ar_valid & ar_ready) begin
      next <= next + PLACE_BITS'(length);
      left <= left - {27'd0, length};
      asked <= 1'b1;
    end
    if (r_valid & r_ready & r_last) asked <= 1'b0;
    if (rst) begin
      left  <= '0;
      asked <= 1'b0;
    end
  end
endmodule
