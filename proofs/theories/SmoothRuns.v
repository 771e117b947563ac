(** A network with norms, softmax, tanh or gates always answers in floating point: what the theorems
    say of all answers is about some. Each function may be rounded once, for example. *)

From Coq Require Import List NArith ZArith Reals Lra Lia Psatz Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Rounding Words Networks Runs Floats FloatNetworks FloatRuns.
From Lengthwise Require Import FloatFunctions SmoothNetworks Euclid.
Import ListNotations.
Local Open Scope R_scope.

Section Runs.

Variable F : format.
Hypothesis wide : (84 <= exponent_limit F)%Z.

Lemma some_rounded x : Rabs (nearest F x) < bpow radix2 (exponent_limit F) ->
  exists z : float F, is_finite z = true /\ real F z = nearest F x.
Proof.
  intros H. set (y := nearest F x) in *.
  assert (G : generic_format radix2 (SpecFloat.fexp (precision F) (exponent_limit F)) y).
  { unfold y, nearest. apply generic_format_round; [|apply valid_rnd_round_mode].
    apply FLT_exp_valid. exact (has_digits F). }
  set (e := cexp radix2 (SpecFloat.fexp (precision F) (exponent_limit F)) y).
  set (m := Ztrunc (scaled_mantissa radix2 (SpecFloat.fexp (precision F) (exponent_limit F)) y)).
  assert (E : F2R (Float radix2 m e) = y) by (symmetry; exact G).
  pose proof (binary_normalize_correct _ _ (has_digits F) (has_range F) mode_NE m e false) as C.
  cbv zeta in C. rewrite E in C.
  rewrite round_generic in C by (try apply valid_rnd_round_mode; exact G).
  rewrite Rlt_bool_true in C by exact H. destruct C as (Cv & Cf & _).
  eexists. split; [exact Cf | exact Cv].
Qed.

Lemma some_near n size scope exact : (1 <= n)%Z -> Rabs exact <= size -> Rabs exact <= scope ->
  exists z, near F n size scope exact z.
Proof.
  intros Hn Hsize Hscope. destruct (Rlt_le_dec scope (bpow radix2 40)) as [S|S].
  2: { exists (zero F). intros H. lra. }
  pose proof (rounding_error F exact) as E. pose proof (u_at_most F) as U2.
  assert (U : 0 < unit_roundoff F) by apply bpow_gt_0. pose proof (t_pos F) as T.
  assert (T1 : smallest_normal F <= 1).
  { unfold smallest_normal. change 1 with (bpow radix2 0). apply bpow_le. lia. }
  pose proof (Rabs_pos exact) as P.
  destruct (some_rounded exact) as (z & Fz & Ez).
  { apply Rle_lt_trans with (bpow radix2 42); [|apply bpow_lt; lia].
    replace (nearest F exact) with ((nearest F exact - exact) + exact) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    assert (1 <= bpow radix2 40) by (change 1 with (bpow radix2 0); apply bpow_le; lia).
    change (bpow radix2 42) with (bpow radix2 (2 + 40)). rewrite bpow_plus.
    change (bpow radix2 2) with 4. nra. }
  exists z. intros _. split; auto. rewrite Ez. apply Rle_trans with (1 := E).
  apply Rplus_le_compat.
  - fold (unit_roundoff F). rewrite Rmult_assoc. apply IZR_le in Hn.
    rewrite <- (Rmult_1_l (unit_roundoff F * Rabs exact)).
    apply Rmult_le_compat; nra.
  - assert (1 <= bpow radix2 50) by (change 1 with (bpow radix2 0); apply bpow_le; lia). nra.
Qed.

Lemma some_within units exact : (1 <= units)%Z -> exists z, within F units exact z.
Proof. intros H. apply some_near; [lia | lra |]. pose proof (Rabs_pos exact). lra. Qed.

Lemma some_exp x : exists z, exp_gives F x z.
Proof. destruct (some_within 20 (exp (real F x)) ltac:(lia)) as [z Hz]. exists z. now intros _. Qed.

Lemma some_tanh x : exists z, tanh_gives F x z.
Proof. destruct (some_within 8 (tanh (real F x)) ltac:(lia)) as [z Hz]. exists z. now intros _. Qed.

Lemma some_logistic x : exists z, logistic_gives F x z.
Proof.
  destruct (some_within 22 (logistic (real F x)) ltac:(lia)) as [z Hz]. exists z. now intros _.
Qed.

Lemma at_most_scope a b : 0 <= a -> 0 <= b -> a * b <= (1 + a) * (1 + b).
Proof. nra. Qed.

Lemma some_scaled factor x : 0 <= factor -> exists z, scaled_gives F factor x z.
Proof.
  intros H. pose proof (Rabs_pos (real F x)) as P.
  destruct (some_near 4 (Rabs (real F x) * factor) ((1 + Rabs (real F x)) * (1 + factor))
    (real F x * factor)) as [z Hz].
  - lia.
  - rewrite Rabs_mult, (Rabs_pos_eq factor); lra.
  - rewrite Rabs_mult, (Rabs_pos_eq factor) by lra. now apply at_most_scope.
  - exists z. now intros _.
Qed.

Lemma some_quotient total power : exists z, quotient_gives F total power z.
Proof.
  destruct (some_near 4 (Rabs (real F power / real F total))
    ((1 + Rabs (real F power)) * (1 + Rabs (/ real F total))) (real F power / real F total))
    as [z Hz].
  - lia.
  - lra.
  - unfold Rdiv. rewrite Rabs_mult. apply at_most_scope; apply Rabs_pos.
  - exists z. now intros _ _.
Qed.

Lemma some_shifted top l : exists z, shifted_gives F top l z.
Proof.
  pose proof (Rabs_triang (real F l) (- real F top)) as T. rewrite Rabs_Ropp in T.
  destruct (some_near 6 (Rabs (real F l) + Rabs (real F top))
    (1 + Rabs (real F l) + Rabs (real F top)) (real F l - real F top)) as [z Hz].
  - lia.
  - unfold Rminus. lra.
  - unfold Rminus. lra.
  - exists z. now intros _ _.
Qed.

Lemma some_top logits : logits <> [] -> exists top, is_top F top logits.
Proof.
  induction logits as [|l logits IH]; [congruence|]. intros _.
  destruct logits as [|l' logits].
  { exists l. split; [now left|]. constructor; [intros; lra | constructor]. }
  destruct IH as (top & Hin & Htop); [discriminate|].
  destruct (bool_dec (is_finite l) true) as [Fl|Fl];
    destruct (bool_dec (is_finite top) true) as [Ft|Ft].
  - destruct (Rle_lt_dec (real F l) (real F top)) as [L|L].
    + exists top. split; [now right|]. constructor; [intros _ _; exact L | exact Htop].
    + exists l. split; [now left|]. constructor; [intros; lra|].
      rewrite Forall_forall in *. intros a Ha Fa _. specialize (Htop a Ha Fa Ft). lra.
  - exists top. split; [now right|]. constructor; [intros _ H; contradiction | exact Htop].
  - exists top. split; [now right|]. constructor; [intros H; contradiction | exact Htop].
  - exists top. split; [now right|]. constructor; [intros H; contradiction | exact Htop].
Qed.

Lemma some_softmax logits : exists weights, softmax_gives F logits weights.
Proof.
  destruct logits as [|l logits]; [exists []; reflexivity|]. unfold softmax_gives.
  destruct (some_top (l :: logits) ltac:(discriminate)) as [top Htop].
  destruct (related_all (shifted_gives F top) (l :: logits) (some_shifted top)) as [shifted Hs].
  destruct (related_all (exp_gives F) shifted some_exp) as [powers Hp].
  destruct (some_sum F (map Number powers)) as [total Ht].
  destruct (related_all (quotient_gives F total) powers (some_quotient total)) as [weights Hw].
  exists weights, top, shifted, powers, total. auto.
Qed.

(** ** Layer norm *)

Lemma mean_size xs : Rabs (mean xs) <= sqrt (mean_square xs).
Proof. rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt, mean_most. Qed.

Lemma at_least_one n : (0 <= n)%Z -> 1 <= IZR (n + 1).
Proof. intros H. change 1 with (IZR 1). apply IZR_le. lia. Qed.

Lemma some_mean x : exists m, mean_gives F x m.
Proof.
  pose proof (mean_size (map (real F) x)) as S. pose proof (sqrt_pos (mean_square (map (real F) x))).
  pose proof (at_least_one (Z.of_nat (length x)) ltac:(lia)).
  destruct (some_near (Z.of_nat (length x) + 24) (sqrt (mean_square (map (real F) x)))
    (IZR (Z.of_nat (length x) + 1) * (1 + sqrt (mean_square (map (real F) x))))
    (mean (map (real F) x))) as [m Hm]; [lia | exact S | nra |].
  exists m. now intros _.
Qed.

Lemma some_variance x : exists s, variance_gives F x s.
Proof.
  pose proof (variance_most (map (real F) x)) as S. pose proof (variance_pos (map (real F) x)) as P.
  rewrite <- (Rabs_pos_eq _ P) in S. pose proof (Rabs_pos (variance (map (real F) x))).
  pose proof (at_least_one (Z.of_nat (length x)) ltac:(lia)).
  set (size := mean_square (map (real F) x)) in *.
  assert (1 <= IZR (Z.of_nat (length x) + 1) * IZR (Z.of_nat (length x) + 1)) by nra.
  destruct (some_near (3 * Z.of_nat (length x) + 80) size
    (IZR (Z.of_nat (length x) + 1) * IZR (Z.of_nat (length x) + 1) * (1 + size))
    (variance (map (real F) x))) as [s Hs]; [lia | exact S | nra |].
  exists s. now intros _.
Qed.

Lemma some_root s : exists r, root_gives F s r.
Proof.
  destruct (Rlt_le_dec 0 (real F s + epsilon)) as [P|N].
  2: { exists (zero F). intros _ H. lra. }
  set (exact := / sqrt (real F s + epsilon)).
  assert (0 < exact) by now apply Rinv_0_lt_compat, sqrt_lt_R0.
  destruct (some_near 8 exact (1 + exact) exact) as [r Hr];
    [lia | rewrite Rabs_pos_eq; lra | rewrite Rabs_pos_eq; lra |].
  exists r. now intros _ _.
Qed.

Lemma some_normed_number m r g b x : exists z, normed_gives F m r g b x z.
Proof.
  set (size := Rabs (real F g) * ((Rabs (real F x) + Rabs (real F m)) * Rabs (real F r))).
  assert (S : Rabs (real F g * ((real F x - real F m) * real F r) + real F b)
    <= size + Rabs (real F b)).
  { apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult. apply Rplus_le_compat_r.
    unfold size. apply Rmult_le_compat_l; [apply Rabs_pos|].
    apply Rmult_le_compat_r; [apply Rabs_pos|]. unfold Rminus.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp. lra. }
  pose proof (Rabs_pos (real F g)). pose proof (Rabs_pos (real F r)).
  pose proof (Rabs_pos (real F x)). pose proof (Rabs_pos (real F m)).
  destruct (some_near 6 (size + Rabs (real F b))
    ((1 + Rabs (real F g)) * ((1 + (Rabs (real F x) + Rabs (real F m))) * (1 + Rabs (real F r)))
     + Rabs (real F b)) (real F g * ((real F x - real F m) * real F r) + real F b)) as [z Hz].
  - lia.
  - exact S.
  - apply Rle_trans with (1 := S). apply Rplus_le_compat_r. unfold size.
    apply Rmult_le_compat; [lra | apply Rmult_le_pos; lra | lra | apply at_most_scope; lra].
  - exists z. now intros _ _ _ _ _.
Qed.

Lemma some_norm n x : exists y, normed F n x y.
Proof.
  destruct (some_mean x) as [m Hm]. destruct (some_variance x) as [s Hs].
  destruct (some_root s) as [r Hr].
  destruct (related_all
    (fun '((g, b), a) z => normed_gives F m r g b a z) (combine (combine (gain n) (shift n)) x))
    as [y Hy].
  { intros [[g b] a]. apply some_normed_number. }
  exists y, m, s, r. auto.
Qed.

Lemma some_normed_recall m n bits : exists x, normed_recall F m n bits x.
Proof.
  destruct (some_recall F m bits) as [read Hr]. destruct (some_norm n read) as [x Hx].
  exists x, read. auto.
Qed.

(** ** Trees *)

Section Tree.

Variable net : normed_tree_of (float F).

Lemma some_seen h q place : exists found, seen_gives F h q place found.
Proof.
  destruct (some_applied F (key h) (fst place)) as [k Hk].
  destruct (some_row F k q [snd place]) as [logit Hl].
  destruct (some_applied F (value h) (fst place)) as [v Hv].
  exists (logit, v), k. auto.
Qed.

Lemma some_attend h x seen : exists y, attend_gives F net h x seen y.
Proof.
  destruct (related_all (scaled_gives F (/ sqrt (IZR (Zpos (head_width net))))) x) as [scaled Hs].
  { intros a. apply some_scaled. apply Rlt_le, Rinv_0_lt_compat, sqrt_lt_R0, IZR_lt. reflexivity. }
  destruct (some_applied F (query h) scaled) as [q Hq].
  destruct (related_all (seen_gives F h q) (combine seen (offset_bias h))) as [found Hf].
  { apply some_seen. }
  destruct (some_softmax (map fst found)) as [weights Hw].
  destruct (related_all (fun i z =>
    row_gives F weights (map (fun place => nth i (snd place) (zero F)) found) [] z)
    (seq 0 (length (value h)))) as [y Hy].
  { intros i. apply some_row. }
  exists y, scaled, q, found, weights. auto.
Qed.

Lemma some_normed_layer l x seen : exists y, normed_layer_gives F net l x seen y.
Proof.
  destruct (related_all (fun one z => attend_gives F net one x seen z) (heads (plain l)))
    as [gathered Hg].
  { intros h. apply some_attend. }
  destruct (some_applied F (output (plain l)) (concat gathered)) as [attended Ha].
  destruct (some_added F x attended) as [sum Hs].
  destruct (some_norm (attention_norm l) sum) as [h Hh].
  destruct (some_affine F (expand (plain l)) h) as [hidden Hi].
  destruct (some_affine F (contract (plain l)) (map (rectified F) hidden)) as [fed Hf].
  destruct (some_added F h fed) as [sum' Hs'].
  destruct (some_norm (forward_norm l) sum') as [y Hy].
  exists y, gathered, attended, sum, h, hidden, fed, sum'. repeat (split; [assumption|]); assumption.
Qed.

Lemma some_normed_everywhere l reversed : exists after, normed_everywhere F net l reversed after.
Proof.
  induction reversed as [|x before [after IH]]; [exists []; exact I|].
  destruct (some_normed_layer l x (x :: before)) as [y Hy]. exists (y :: after). split; assumption.
Qed.

Lemma some_normed_block these : forall reversed, exists y, normed_block F net these reversed y.
Proof.
  induction these as [|l these IH]; intros reversed; [exists []; reflexivity|].
  assert (Next : exists y after, normed_everywhere F net l reversed after
    /\ normed_block F net these after y).
  { destruct (some_normed_everywhere l reversed) as [after Ha]. destruct (IH after) as [y Hy].
    exists y, after. auto. }
  destruct these as [|l' these].
  - destruct reversed as [|x before]; [|apply some_normed_layer].
    destruct Next as (y & after & H). exists y, after. exact H.
  - destruct Next as (y & after & H). exists y, after. exact H.
Qed.

Lemma some_node x : exists y, node_gives F net x y.
Proof.
  assert (R : 0 <= root_of_square F net) by apply sqrt_pos.
  destruct x as [|a|bits]; simpl.
  - apply related_all. intros a. now apply some_scaled.
  - apply related_all. intros b. now apply some_scaled.
  - apply some_normed_recall.
Qed.

Lemma some_normed_compose chunk : exists code, normed_compose F net chunk code.
Proof.
  destruct (related_all (node_gives F net) chunk some_node) as [vectors Hv].
  destruct (some_normed_block (normed_layers net) (rev vectors)) as [y Hy].
  destruct (some_code F (node_memory (base net)) y) as [code Hc]. exists code, vectors, y. auto.
Qed.

Lemma some_normed_class x : exists found, normed_class F net x found.
Proof.
  destruct (some_node x) as [y Hy]. destruct (some_class F (answer (base net)) y) as [found Hf].
  exists found, y. auto.
Qed.

End Tree.

Section Recurrence.

Variable net : gated_network_of (float F).

Lemma some_gates h m_r m_z m_n a_r a_z a_n : exists y, gates_give F h m_r m_z m_n a_r a_z a_n y.
Proof.
  destruct (some_plus F a_r m_r) as [s_r Hsr]. destruct (some_logistic s_r) as [r Hr].
  destruct (some_plus F a_z m_z) as [s_z Hsz]. destruct (some_logistic s_z) as [z Hz].
  destruct (some_sum F [Product r m_n; Number a_n]) as [t Ht]. destruct (some_tanh t) as [n Hn].
  destruct (some_plus F h (Bopp n)) as [change Hc].
  destruct (some_sum F [Product z change; Number n]) as [y Hy].
  exists y, s_r, s_z, r, z, t, n, change. repeat (split; [assumption|]); assumption.
Qed.

Lemma some_cell h moved symbol : exists y, cell_gives F net h moved symbol y.
Proof.
  unfold cell_gives. destruct (has_gates net).
  - apply related_all. intros i. apply some_gates.
  - destruct (some_added F symbol moved) as [sum Hs].
    destruct (related_all (tanh_gives F) sum some_tanh) as [y Hy]. exists y, sum. auto.
Qed.

Lemma some_gated_step before a : exists code, gated_step F net before a code.
Proof.
  destruct (some_normed_recall (cell_memory (cell net)) (cell_norm net) before) as [h Hh].
  destruct (some_affine F (recurrent (cell net)) h) as [moved Hm].
  destruct (some_cell h moved (nth (N.to_nat a) (symbol_rows (cell net)) [])) as [y Hy].
  destruct (some_code F (cell_memory (cell net)) y) as [code Hc]. exists code, h, moved, y. auto.
Qed.

Lemma some_gated_class code : exists found, gated_class F net code found.
Proof.
  destruct (some_normed_recall (cell_memory (cell net)) (cell_norm net) code) as [x Hx].
  destruct (some_class F (read_out (cell net)) x) as [found Hf]. exists found, x. auto.
Qed.

End Recurrence.

End Runs.

Theorem float_normed_tree_answers (F : format) (net : normed_tree) (w : word) :
  (84 <= exponent_limit F)%Z -> exists found, normed_tree_may_answer F net w found.
Proof.
  intros H. apply some_tree_result; [now apply some_normed_compose | now apply some_normed_class].
Qed.

Theorem float_gated_network_answers (F : format) (net : gated_network) (w : word) :
  (84 <= exponent_limit F)%Z -> exists found, gated_network_may_answer F net w found.
Proof.
  intros H.
  apply some_recurrent_result; [apply some_code | now apply some_gated_step | now apply some_gated_class].
Qed.

Print Assumptions float_normed_tree_answers.
Print Assumptions float_gated_network_answers.
