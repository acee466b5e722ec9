// SPDX-License-Identifier: Apache-2.0
// Writes `count` words of 16 bytes of a stream to a shared memory, from word address `place` on,
// through the write channels of an AXI4 bus. A burst, of at most 16 words between multiples of 16
// words, begins when all its words have arrived: it never blocks the bus while it waits for data.
module bus_write #(
    parameter int PLACE_BITS = 36
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  start,
    input  logic [PLACE_BITS-1:0] place,
    input  logic [          31:0] count,
    output logic                  busy,
    input  logic                  in_valid,
    output logic                  in_ready,
    input  logic [         127:0] in_data,
    output logic                  aw_valid,
    input  logic                  aw_ready,
    output logic [PLACE_BITS+3:0] aw_addr,
    output logic [           7:0] aw_len,
    output logic                  w_valid,
    input  logic                  w_ready,
    output logic [         127:0] w_data,
    output logic                  w_last,
    input  logic                  b_valid,
    output logic                  b_ready
);
  typedef enum logic [1:0] {
    COLLECT,
    ADDRESS,
    WORDS,
    ANSWER
  } state_t;

  state_t state;
  logic [PLACE_BITS-1:0] next;
  logic [31:0] left;
  logic [4:0] room, length, sent;
  logic [5:0] level;  // Words in the buffer of 32.
  logic write, taken, word_valid;

  assign room = 5'd16 - {1'b0, next[3:0]};
  assign length = left < {27'd0, room} ? left[4:0] : room;
  assign busy = left != '0;
  assign in_ready = level != 6'd32;
  assign write = in_valid & in_ready;
  assign aw_valid = state == ADDRESS;
  assign aw_addr = {next, 4'd0};
  assign aw_len = {3'd0, length} - 8'd1;
  assign w_valid = state == WORDS && word_valid;
  assign w_last = sent + 5'd1 == length;
  assign b_ready = state == ANSWER;

  resident_fifo #(
      .WIDTH(128), .LOG_DEPTH(5)
  ) buffer (
      .clk(clk), .rst(rst), .write(write), .write_word(in_data), .out_valid(word_valid),
      .out_ready(state == WORDS && w_ready), .out_word(w_data), .taken(taken)
  );

  always_ff @(posedge clk) begin
    level <= level + {5'd0, write} - {5'd0, taken};
    if (start & ~busy) begin
      next <= place;
      left <= count;
    end
    case (state)
      COLLECT: if (busy && level >= {1'b0, length}) state <= ADDRESS;
      ADDRESS: begin
        sent <= '0;
        if (aw_ready) state <= WORDS;
      end
      WORDS:
      if (taken) begin
        sent <= sent + 5'd1;
        if (w_last) state <= ANSWER;
      end
      default:
      if (b_valid) begin
        next <= next + PLACE_BITS'(length);
        left <= left - {27'd0, length};
        state <= COLLECT;
      end
    endcase
    if (rst) begin
      state <= COLLECT;
      left  <= '0;
      level <= '0;
    end
  end
endmodule
