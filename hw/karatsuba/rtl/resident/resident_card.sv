// SPDX-License-Identifier: Apache-2.0
// Encryption of FV with the key on the card: from the bits of U and of the message and the noise to
// the whole ciphertext, ([P[1] U + E[1] + delta m]_q, [P[2] U + E[2]]_q) modulo Phi_M. The host
// sends the frames of resident_loader. For each encryption the card returns two frames of a header
// and DEGREE coefficients; the first components of a whole group come first. README.md explains why
// the products are sums.
module resident_card #(
    parameter int WIDTH = 125,
    parameter int M = 2783,
    parameter int DEGREE = 2420,
    parameter int D1 = 11,
    parameter int D2 = 121,
    parameter int D3 = 253,
    parameter int LANES = 4,
    parameter int CELLS = 398,
    parameter int CHUNKS = 5,
    parameter int CHUNK_BITS = 28,
    parameter int GROWTH = 12
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [127:0] in_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [127:0] out_data,
    output logic [ 31:0] unknown_frames
);
  localparam int SUM_BITS = WIDTH + GROWTH;
  localparam int U_WORDS = (DEGREE + 127) / 128;
  localparam int E_WORDS = (DEGREE + 7) / 8;
  localparam int KEY_PLACE_BITS = $clog2(2 * DEGREE);
  localparam int U_PLACE_BITS = $clog2(2 * U_WORDS);
  localparam int M_PLACE_BITS = $clog2(2 * LANES * U_WORDS);
  localparam int E_PLACE_BITS = $clog2(4 * LANES * E_WORDS);
  localparam int LANE_BITS = $clog2(LANES + 1);
  localparam int RESULT_PLACE_BITS = $clog2(2 * M);

  logic [WIDTH-1:0] q, delta;
  logic key_write, m_write, e_write;
  logic [KEY_PLACE_BITS-1:0] key_write_place, key_place;
  logic [LANES-1:0] u_write;
  logic [U_PLACE_BITS-1:0] u_write_place, u_place;
  logic [M_PLACE_BITS-1:0] m_write_place, m_place;
  logic [E_PLACE_BITS-1:0] e_write_place, e_place;
  logic [1:0] group_complete, group_computed, group_left, group_loaded;
  logic [1:0] sums_free, sums_claimed, sums_complete, sums_written, sums_read;
  logic [2*LANE_BITS-1:0] group_size;
  logic [2*LANES*32-1:0] tags;
  logic [2*LANES-1:0] wrong_key;

  resident_loader #(
      .WIDTH(WIDTH), .DEGREE(DEGREE), .LANES(LANES)
  ) loader (
      .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
      .q(q), .delta(delta), .key_write(key_write), .key_place(key_write_place),
      .u_write(u_write), .u_place(u_write_place), .m_write(m_write), .m_place(m_write_place),
      .e_write(e_write), .e_place(e_write_place), .group_complete(group_complete),
      .group_left(group_left), .group_size(group_size), .tags(tags), .wrong_key(wrong_key),
      .unknown_frames(unknown_frames)
  );

  always_ff @(posedge clk) begin
    group_loaded <= rst ? 2'b00 : (group_loaded | group_complete) & ~group_computed;
    sums_free <= rst ? 2'b11 : (sums_free | sums_read) & ~sums_claimed;
  end

  logic [6:0] u_bit;
  logic u_zero, adding, shifting, write_valid;
  logic [RESULT_PLACE_BITS-1:0] write_place, sum_place;
  resident_sequencer #(
      .M(M), .DEGREE(DEGREE), .CELLS(CELLS)
  ) sequencer (
      .clk(clk), .rst(rst), .group_loaded(group_loaded), .group_computed(group_computed),
      .sums_free(sums_free), .sums_claimed(sums_claimed), .sums_complete(sums_complete),
      .u_place(u_place), .u_bit(u_bit), .u_zero(u_zero), .key_place(key_place),
      .adding(adding), .shifting(shifting), .write_valid(write_valid), .write_place(write_place)
  );

  // The key's coefficient of a step and the shift reach chunk i of all cells 2 + i cycles later.
  logic [WIDTH-1:0] key_word1;
  resident_ram #(
      .WIDTH(WIDTH),
      .DEPTH(2 * DEGREE)
  ) key (
      .clk(clk), .write(key_write), .write_place(key_write_place),
      .write_word(in_data[WIDTH-1:0]), .read_place(key_place), .read_word(key_word1)
  );

  logic adding1, shifting1;
  logic [CHUNKS*CHUNK_BITS-1:0] key_wide1;
  logic [WIDTH-1:0] key_gated1;
  assign key_gated1 = key_word1 & {WIDTH{adding1}};
  assign key_wide1 = (CHUNKS * CHUNK_BITS)'(key_gated1);
  logic [CHUNKS*CHUNK_BITS-1:0] addend;
  logic [CHUNKS-1:0] shift;
  always_ff @(posedge clk) begin
    adding1 <= adding;
    shifting1 <= shifting;
    shift <= {shift[CHUNKS-2:0], shifting1};
  end
  genvar i;
  generate
    for (i = 0; i < CHUNKS; i++) begin : g_skew
      resident_delay #(
          .WIDTH(CHUNK_BITS), .CYCLES(i + 1)
      ) skew (
          .clk(clk), .in_word(key_wide1[i*CHUNK_BITS+:CHUNK_BITS]),
          .out_word(addend[i*CHUNK_BITS+:CHUNK_BITS])
      );
    end
  endgenerate

  // Sums are whole CHUNKS + 1 cycles after the step in which they leave.
  localparam int WRITE_DELAY = CHUNKS + 1;
  logic [WRITE_DELAY-1:0] late_valid, late_first, late_second;
  logic [RESULT_PLACE_BITS-1:0] late_place;
  always_ff @(posedge clk) begin
    late_valid <= rst ? '0 : {late_valid[WRITE_DELAY-2:0], write_valid};
    late_first <= rst ? '0 : {late_first[WRITE_DELAY-2:0], sums_complete[0]};
    late_second <= rst ? '0 : {late_second[WRITE_DELAY-2:0], sums_complete[1]};
  end
  assign sums_written = {late_second[WRITE_DELAY-1], late_first[WRITE_DELAY-1]};
  resident_delay #(
      .WIDTH(RESULT_PLACE_BITS), .CYCLES(WRITE_DELAY)
  ) places (
      .clk(clk), .in_word(write_place), .out_word(late_place)
  );

  logic [LANE_BITS-1:0] sum_lane, sum_lane1;
  logic [SUM_BITS-1:0] sum;
  logic [LANES*SUM_BITS-1:0] lane_sum;
  generate
    for (i = 0; i < LANES; i++) begin : g_lane
      resident_lane #(
          .WIDTH(WIDTH), .M(M), .DEGREE(DEGREE), .CELLS(CELLS), .CHUNKS(CHUNKS),
          .CHUNK_BITS(CHUNK_BITS), .GROWTH(GROWTH)
      ) lane (
          .clk(clk), .u_write(u_write[i]), .u_write_place(u_write_place), .u_write_word(in_data),
          .u_place(u_place), .u_bit(u_bit), .u_zero(u_zero), .shift(shift), .addend(addend),
          .write_valid(late_valid[WRITE_DELAY-1]), .write_place(late_place),
          .read_place(sum_place), .read_sum(lane_sum[i*SUM_BITS+:SUM_BITS])
      );
    end
  endgenerate
  always_ff @(posedge clk) begin
    sum_lane1 <= sum_lane;
    sum <= lane_sum[SUM_BITS-1:0];
    for (int l = 1; l < LANES; l++)
      if (sum_lane1 == LANE_BITS'(l)) sum <= lane_sum[l*SUM_BITS+:SUM_BITS];
  end

  logic [127:0] m_word, e_word;
  resident_ram #(
      .WIDTH(128),
      .DEPTH(2 * LANES * U_WORDS)
  ) messages (
      .clk(clk), .write(m_write), .write_place(m_write_place), .write_word(in_data),
      .read_place(m_place), .read_word(m_word)
  );
  resident_ram #(
      .WIDTH(128),
      .DEPTH(4 * LANES * E_WORDS)
  ) noise (
      .clk(clk), .write(e_write), .write_place(e_write_place), .write_word(in_data),
      .read_place(e_place), .read_word(e_word)
  );

  resident_finish #(
      .WIDTH(WIDTH), .M(M), .DEGREE(DEGREE), .D1(D1), .D2(D2), .D3(D3), .LANES(LANES),
      .GROWTH(GROWTH)
  ) finish (
      .clk(clk), .rst(rst), .q(q), .delta(delta), .sums_complete(sums_written),
      .sums_read(sums_read), .group_left(group_left), .group_size(group_size), .tags(tags),
      .wrong_key(wrong_key), .sum_place(sum_place), .sum_lane(sum_lane), .sum(sum),
      .m_place(m_place), .m_word(m_word), .e_place(e_place), .e_word(e_word),
      .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data)
  );
endmodule
