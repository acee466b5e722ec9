// SPDX-License-Identifier: Apache-2.0
// Turns the sums of a component modulo X^M - 1 into a part of the ciphertext: reduction modulo q
// and modulo Phi_M, the noise, and the message. Encryptions of a group follow one another.
//
// For M = p^a r^b with primes p and r, Phi_M = (X^M - 1)(X^D1 - 1) / ((X^D2 - 1)(X^D3 - 1)) with
// D1 = M / (p r), D2 = M / p, D3 = M / r. Of A, of degree below M, the quotient by Phi_M is read from
// the leading M - DEGREE coefficients: in descending order their product with the power series
// (1 - X^D2)(1 - X^D3) / (1 - X^D1), as Phi_M is its own reverse. The remainder is A minus quotient
// times Phi_M, and Phi_M is (1 - X^D1) / ((1 - X^D2)(1 - X^D3)) below X^M.
module resident_finish #(
    parameter int WIDTH = 125,
    parameter int M = 2783,
    parameter int DEGREE = 2420,
    parameter int D1 = 11,
    parameter int D2 = 121,
    parameter int D3 = 253,
    parameter int LANES = 4,
    parameter int GROWTH = 12,
    localparam int SUM_BITS = WIDTH + GROWTH,
    localparam int INDEX_BITS = $clog2(M),
    localparam int U_WORDS = (DEGREE + 127) / 128,
    localparam int E_WORDS = (DEGREE + 7) / 8,
    localparam int M_PLACE_BITS = $clog2(2 * LANES * U_WORDS),
    localparam int E_PLACE_BITS = $clog2(4 * LANES * E_WORDS),
    localparam int LANE_BITS = $clog2(LANES + 1),
    localparam int RESULT_PLACE_BITS = $clog2(2 * M)
) (
    input  logic                            clk,
    input  logic                            rst,
    input  logic [           WIDTH-1:0]     q,
    input  logic [           WIDTH-1:0]     delta,
    // Components and groups.
    input  logic [                 1:0]     sums_complete,  // Pulses.
    output logic [                 1:0]     sums_read,      // Pulses: sums may be written again.
    output logic [                 1:0]     group_left,     // Pulses.
    input  logic [     2*LANE_BITS-1:0]     group_size,
    input  logic [      2*LANES*32-1:0]     tags,
    input  logic [         2*LANES-1:0]     wrong_key,
    // Sums: two cycles from place to value.
    output logic [RESULT_PLACE_BITS-1:0]    sum_place,
    output logic [       LANE_BITS-1:0]     sum_lane,
    input  logic [        SUM_BITS-1:0]     sum,
    // Message and noise: one cycle from place to word.
    output logic [    M_PLACE_BITS-1:0]     m_place,
    input  logic [               127:0]     m_word,
    output logic [    E_PLACE_BITS-1:0]     e_place,
    input  logic [               127:0]     e_word,
    output logic                            out_valid,
    input  logic                            out_ready,
    output logic [               127:0]     out_data
);
  localparam int QUOTIENT = M - DEGREE;
  localparam int QUOTIENT_BITS = $clog2(QUOTIENT);
  localparam int LOG_BUFFER = 6;
  localparam logic [INDEX_BITS-1:0] LAST_INDEX = INDEX_BITS'(M - 1);
  localparam logic [INDEX_BITS-1:0] LAST_DEGREE = INDEX_BITS'(DEGREE - 1);
  localparam logic [QUOTIENT_BITS-1:0] LAST_QUOTIENT = QUOTIENT_BITS'(QUOTIENT - 1);

  typedef enum logic [2:0] {
    IDLE,
    LEADING,
    LEADING_WAIT,
    ANNOUNCE,
    ALL,
    ALL_WAIT,
    NEXT
  } state_t;

  state_t state;
  logic component, place;
  logic [LANE_BITS-1:0] lane;
  logic [1:0] waiting;
  logic [INDEX_BITS-1:0] index;
  logic [LOG_BUFFER:0] space;  // Free places of the buffer, less words on their way to it.
  logic taken;
  logic quotient_done, all_done;

  logic issue_leading, issue_all, issue;
  assign issue_leading = state == LEADING;
  assign issue_all = state == ALL && space != '0;
  assign issue = issue_leading | issue_all;

  logic announce;
  assign announce = state == ANNOUNCE && space != '0;
  logic given;
  assign given = issue_all | announce;

  logic last_lane;
  assign last_lane = lane + 1'b1
                  == (place ? group_size[LANE_BITS+:LANE_BITS] : group_size[LANE_BITS-1:0]);
  assign sums_read = {2{state == NEXT & last_lane}} & {component, ~component};
  assign group_left = {2{state == NEXT & last_lane & component}} & {place, ~place};
  assign sum_place = RESULT_PLACE_BITS'(index) + (component ? RESULT_PLACE_BITS'(M) : '0);
  assign sum_lane = lane;

  logic [M_PLACE_BITS-1:0] m_base;
  logic [E_PLACE_BITS-1:0] e_base;

  always_ff @(posedge clk) begin
    waiting <= (waiting | sums_complete) & ~sums_read;
    space   <= space - (LOG_BUFFER + 1)'(given) + (LOG_BUFFER + 1)'(taken);
    case (state)
      IDLE:
      if (waiting[component]) begin
        state <= LEADING;
        index <= LAST_INDEX;
        lane  <= '0;
        m_base <= place ? M_PLACE_BITS'(LANES * U_WORDS) : '0;
        e_base <= (place ? E_PLACE_BITS'(2 * LANES * E_WORDS) : '0)
                + (component ? E_PLACE_BITS'(E_WORDS) : '0);
      end
      LEADING: begin
        index <= index - 1'b1;
        if (index == INDEX_BITS'(DEGREE)) state <= LEADING_WAIT;
      end
      LEADING_WAIT: if (quotient_done) state <= ANNOUNCE;
      ANNOUNCE: begin
        index <= '0;
        if (announce) state <= ALL;
      end
      ALL:
      if (issue_all) begin
        index <= index + 1'b1;
        if (index == LAST_DEGREE) state <= ALL_WAIT;
      end
      ALL_WAIT: if (all_done) state <= NEXT;
      default: begin
        index <= LAST_INDEX;
        lane <= lane + 1'b1;
        m_base <= m_base + M_PLACE_BITS'(U_WORDS);
        e_base <= e_base + E_PLACE_BITS'(2 * E_WORDS);
        state <= last_lane ? IDLE : LEADING;
        if (last_lane) begin
          component <= ~component;
          place <= place ^ component;
        end
      end
    endcase
    if (rst) begin
      state <= IDLE;
      component <= 1'b0;
      place <= 1'b0;
      waiting <= '0;
      space <= (LOG_BUFFER + 1)'(1 << LOG_BUFFER);
    end
  end

  // Reduction modulo q. Flags of a value travel beside it.
  localparam int A_DELAY = 2 + GROWTH;
  logic [A_DELAY-1:0] is_leading, is_all, is_first;
  logic first_issue;
  assign first_issue = issue_leading ? index == LAST_INDEX : index == '0;
  always_ff @(posedge clk) begin
    is_leading <= rst ? '0 : {is_leading[A_DELAY-2:0], issue_leading};
    is_all <= rst ? '0 : {is_all[A_DELAY-2:0], issue_all};
    is_first <= {is_first[A_DELAY-2:0], issue & first_issue};
  end

  logic [WIDTH-1:0] a;
  resident_mod_steps #(
      .WIDTH(WIDTH),
      .GROWTH(GROWTH)
  ) reduce (
      .clk(clk),
      .q(q),
      .in_value(sum),
      .out_value(a)
  );

  // The quotient, from its leading coefficient on.
  logic lv1, lf1, lv2, lf2, lv3, lf3;
  logic [WIDTH-1:0] l1, l2, l3;
  resident_stride #(
      .WIDTH(WIDTH), .DELAY(D1), .RUNNING(1'b1)
  ) leading_sum (
      .clk(clk), .q(q),
      .in_valid(is_leading[A_DELAY-1]), .in_first(is_first[A_DELAY-1]), .in_value(a),
      .out_valid(lv1), .out_first(lf1), .out_value(l1)
  );
  resident_stride #(
      .WIDTH(WIDTH), .DELAY(D2), .RUNNING(1'b0)
  ) leading_difference2 (
      .clk(clk), .q(q), .in_valid(lv1), .in_first(lf1), .in_value(l1),
      .out_valid(lv2), .out_first(lf2), .out_value(l2)
  );
  resident_stride #(
      .WIDTH(WIDTH), .DELAY(D3), .RUNNING(1'b0)
  ) leading_difference3 (
      .clk(clk), .q(q), .in_valid(lv2), .in_first(lf2), .in_value(l2),
      .out_valid(lv3), .out_first(lf3), .out_value(l3)
  );

  logic [QUOTIENT_BITS-1:0] quotient_next, quotient_here;
  assign quotient_here = lf3 ? LAST_QUOTIENT : quotient_next;
  assign quotient_done = lv3 && quotient_here == '0;
  always_ff @(posedge clk) if (lv3) quotient_next <= quotient_here - 1'b1;

  // Quotient times Phi_M, beside the coefficients of A: ten cycles from its place to its end.
  localparam int Q_TAP = A_DELAY - 10;
  logic [INDEX_BITS-1:0] z_index, z_here;
  logic z_valid, z_first, z_inside;
  logic [WIDTH-1:0] quotient_word;
  assign z_here = is_first[Q_TAP-1] ? '0 : z_index;
  always_ff @(posedge clk) begin
    if (is_all[Q_TAP-1]) z_index <= z_here + 1'b1;
    z_valid  <= is_all[Q_TAP-1];
    z_first  <= is_first[Q_TAP-1];
    z_inside <= z_here < INDEX_BITS'(QUOTIENT);
  end
  resident_ram #(
      .WIDTH(WIDTH),
      .DEPTH(QUOTIENT)
  ) quotient (
      .clk(clk),
      .write(lv3),
      .write_place(quotient_here),
      .write_word(l3),
      .read_place(z_here[QUOTIENT_BITS-1:0]),
      .read_word(quotient_word)
  );

  logic zv1, zf1, zv2, zf2, zv3, zf3;
  logic [WIDTH-1:0] z1, z2, z3;
  resident_stride #(
      .WIDTH(WIDTH), .DELAY(D1), .RUNNING(1'b0)
  ) all_difference (
      .clk(clk), .q(q),
      .in_valid(z_valid), .in_first(z_first), .in_value(quotient_word & {WIDTH{z_inside}}),
      .out_valid(zv1), .out_first(zf1), .out_value(z1)
  );
  resident_stride #(
      .WIDTH(WIDTH), .DELAY(D2), .RUNNING(1'b1)
  ) all_sum2 (
      .clk(clk), .q(q), .in_valid(zv1), .in_first(zf1), .in_value(z1),
      .out_valid(zv2), .out_first(zf2), .out_value(z2)
  );
  resident_stride #(
      .WIDTH(WIDTH), .DELAY(D3), .RUNNING(1'b1)
  ) all_sum3 (
      .clk(clk), .q(q), .in_valid(zv2), .in_first(zf2), .in_value(z2),
      .out_valid(zv3), .out_first(zf3), .out_value(z3)
  );

  // Places of noise and message run with the values.
  logic [INDEX_BITS-1:0] r_index, r_here;
  assign r_here  = zf3 ? '0 : r_index;
  logic [INDEX_BITS+6:0] r_wide;
  assign r_wide  = {7'd0, r_here};
  assign e_place = e_base + E_PLACE_BITS'(r_wide >> 3);
  assign m_place = m_base + M_PLACE_BITS'(r_wide >> 7);

  logic [5:0] valid;
  logic [2:0] e_slot;
  logic [6:0] m_slot;
  logic m_bit2, m_bit3, m_bit4;
  logic [15:0] e2;
  logic [WIDTH:0] d1, s5;
  logic [WIDTH+1:0] s3;
  logic [WIDTH-1:0] r2, r4, r6;
  logic [WIDTH:0] s3_up, s3_down;
  logic [WIDTH+1:0] s5_down;
  assign s3_up = s3[WIDTH:0] + {1'b0, q};
  assign s3_down = s3[WIDTH:0] - {1'b0, q};
  assign s5_down = {1'b0, s5} - {2'b00, q};
  always_ff @(posedge clk) begin
    if (zv3) r_index <= r_here + 1'b1;
    valid <= rst ? '0 : {valid[4:0], zv3};
    // A minus quotient times Phi_M.
    d1 <= {1'b0, a} - {1'b0, z3};
    r2 <= d1[WIDTH] ? d1[WIDTH-1:0] + q : d1[WIDTH-1:0];
    e_slot <= r_here[2:0];
    m_slot <= r_wide[6:0];
    e2 <= e_word[{e_slot, 4'd0}+:16];
    m_bit2 <= m_word[m_slot] & ~component;
    // Plus the noise, from -2^15 to q - 2 + 2^15.
    s3 <= {2'b00, r2} + {{(WIDTH - 14) {e2[15]}}, e2};
    r4 <= s3[WIDTH+1] ? s3_up[WIDTH-1:0] : s3_down[WIDTH] ? s3[WIDTH-1:0] : s3_down[WIDTH-1:0];
    m_bit3 <= m_bit2;
    m_bit4 <= m_bit3;
    // Plus the message.
    s5 <= {1'b0, r4} + {1'b0, delta & {WIDTH{m_bit4}}};
    r6 <= s5_down[WIDTH+1] ? s5[WIDTH-1:0] : s5_down[WIDTH-1:0];
  end

  logic [INDEX_BITS-1:0] sent;
  assign all_done = valid[5] && sent == LAST_DEGREE;
  always_ff @(posedge clk)
    if (state == ANNOUNCE) sent <= '0;
    else if (valid[5]) sent <= sent + 1'b1;

  // A header before each polynomial: 129, component, whether the key differed, the tag.
  localparam int SLOT_BITS = $clog2(2 * LANES + 1);
  logic [SLOT_BITS-1:0] slot;
  assign slot = SLOT_BITS'(lane) + (place ? SLOT_BITS'(LANES) : '0);
  logic [31:0] tag;
  logic wrong;
  always_comb begin
    tag = '0;
    wrong = 1'b0;
    for (int s = 0; s < 2 * LANES; s++)
      if (slot == SLOT_BITS'(s)) begin
        tag = tags[32*s+:32];
        wrong = wrong_key[s];
      end
  end

  logic [WIDTH-1:0] result;
  assign result = r6 & {WIDTH{~wrong}};
  logic [127:0] word;
  assign word = announce ? {32'd0, tag, 54'd0, wrong, component, 8'd129}
                         : 128'(result);
  resident_fifo #(
      .WIDTH(128),
      .LOG_DEPTH(LOG_BUFFER)
  ) buffer (
      .clk(clk), .rst(rst),
      .write(announce | valid[5]), .write_word(word),
      .out_valid(out_valid), .out_ready(out_ready), .out_word(out_data), .taken(taken)
  );

  // The flags of the first element end with the quotient's product.
  logic unused;
  assign unused = &{1'b0, is_all[A_DELAY-1:Q_TAP], s3_up[WIDTH]};
endmodule
