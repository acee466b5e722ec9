// SPDX-License-Identifier: Apache-2.0
// One encryption's share of the products: the bits of its U for two groups, the cells, and the sums
// of both components modulo X^M - 1.
//
// Each active cycle of the sequencer shifts one bit of U into the window, two cycles after its
// place was given; the key's coefficient comes two cycles after the step as well. Sums leave while
// `shift` is set and are written CHUNKS + 1 cycles after write_valid was given.
module resident_lane #(
    parameter int WIDTH = 125,
    parameter int M = 2783,
    parameter int DEGREE = 2420,
    parameter int CELLS = 398,
    parameter int CHUNKS = 5,
    parameter int CHUNK_BITS = 28,
    parameter int GROWTH = 12,
    localparam int SUM_BITS = WIDTH + GROWTH,
    localparam int U_WORDS = (DEGREE + 127) / 128,
    localparam int U_PLACE_BITS = $clog2(2 * U_WORDS),
    localparam int RESULT_PLACE_BITS = $clog2(2 * M)
) (
    input  logic                                    clk,
    input  logic                                    u_write,
    input  logic [     U_PLACE_BITS-1:0]            u_write_place,
    input  logic [                127:0]            u_write_word,
    input  logic [     U_PLACE_BITS-1:0]            u_place,
    input  logic [                  6:0]            u_bit,
    input  logic                                    u_zero,
    input  logic [           CHUNKS-1:0]            shift,
    input  logic [CHUNKS*CHUNK_BITS-1:0]            addend,
    input  logic                                    write_valid,
    input  logic [RESULT_PLACE_BITS-1:0]            write_place,
    input  logic [RESULT_PLACE_BITS-1:0]            read_place,
    output logic [         SUM_BITS-1:0]            read_sum
);
  // U: word, then bit, then the window of the cells.
  logic [127:0] u_word1;
  logic [6:0] u_bit1;
  logic u_zero1, u_bit2;

  resident_ram #(
      .WIDTH(128),
      .DEPTH(2 * U_WORDS)
  ) u_words (
      .clk(clk),
      .write(u_write),
      .write_place(u_write_place),
      .write_word(u_write_word),
      .read_place(u_place),
      .read_word(u_word1)
  );

  always_ff @(posedge clk) begin
    u_bit1  <= u_bit;
    u_zero1 <= u_zero;
    u_bit2  <= u_word1[u_bit1] & ~u_zero1;
  end

  logic [CHUNKS*CHUNK_BITS-1:0] out;
  resident_mac_array #(
      .CELLS(CELLS),
      .CHUNKS(CHUNKS),
      .CHUNK_BITS(CHUNK_BITS)
  ) cells (
      .clk(clk),
      .shift(shift),
      .addend(addend),
      .in_bit(u_bit2),
      .out(out)
  );

  // Chunk i is i cycles late: the others wait for the last one.
  logic [CHUNKS*CHUNK_BITS-1:0] sum;
  genvar i;
  generate
    for (i = 0; i < CHUNKS - 1; i++) begin : g_wait
      resident_delay #(
          .WIDTH(CHUNK_BITS),
          .CYCLES(CHUNKS - 1 - i)
      ) wait_for_last (
          .clk(clk),
          .in_word(out[i*CHUNK_BITS+:CHUNK_BITS]),
          .out_word(sum[i*CHUNK_BITS+:CHUNK_BITS])
      );
    end
  endgenerate
  assign sum[CHUNKS*CHUNK_BITS-1-:CHUNK_BITS] = out[CHUNKS*CHUNK_BITS-1-:CHUNK_BITS];

  resident_ram #(
      .WIDTH(SUM_BITS),
      .DEPTH(2 * M)
  ) sums (
      .clk(clk),
      .write(write_valid),
      .write_place(write_place),
      .write_word(sum[SUM_BITS-1:0]),
      .read_place(read_place),
      .read_word(read_sum)
  );

  // The sums' leading bits are 0: DEGREE coefficients of the key are below 2^SUM_BITS together.
  logic unused;
  assign unused = &{1'b0, sum[CHUNKS*CHUNK_BITS-1:SUM_BITS]};
endmodule
