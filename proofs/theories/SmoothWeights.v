(** The checkers of networks with norms, softmax, tanh and gates in floating point, and the theorems
    about them. *)

From Coq Require Import List NArith ZArith QArith Reals Bool Lia Lra.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Words Data Arrays TreeChecker TreeSound Recurrence Theorems.
From Lengthwise Require Import Networks Runs Weights Floats FloatNetworks FloatFunctions.
From Lengthwise Require Import SmoothNetworks Balls FloatWeights Enclosures SmoothBalls EuclidBalls.
Import ListNotations.

(** The rows of a linear map, each with its bias. *)
Definition affine_rows (f : linear) : list (coordinates * coordinates) :=
  map (fun '(row, b) => (row, [b])) (combine (weight f) (bias f)).

(** The norms of the matrices of a layer after attention: output, expand and contract. *)
Definition layer_measures : Type := (measured * measured * measured)%type.

Section Measures.

Variables (K W S : Z) (W_ball S_ball : Q -> ball).

Definition measure_layer (l : normed_layer_of Q) : option layer_measures :=
  let measure := measure K W S W_ball S_ball in
  match measure (map (fun row => (row, [])) (output (plain l))),
    measure (affine_rows (expand (plain l))), measure (affine_rows (contract (plain l))) with
  | Some output, Some expand, Some contract => Some (output, expand, contract)
  | _, _, _ => None
  end.

Definition measured_layer_of (l : normed_layer_of Q)
  : option (normed_layer_of ball * layer_measures) :=
  match measure_layer l with
  | Some m => Some (convert_normed_layer W_ball l, m)
  | None => None
  end.

End Measures.

Section Networks.

(** Numbers of the network have K places, and weights W. *)
Variables (F : format) (K W : Z).

Notation balls := (list ball).
Notation raise := (raised K W).
Notation row_ball := (row_ball F K).
Notation enlarge := (enlarge F).

Definition normed_balls (n : norm_of ball) (x : balls) : balls :=
  norm_balls F K (map raise (gain n)) (map raise (shift n)) x.

Definition normed_recall_balls (m : memory_of ball) (n : norm_of ball) (bits : code) : balls :=
  normed_balls n (recall_balls F K W m bits).

(** ** Trees *)

Section Tree.

Variable net : normed_tree_of ball.

Definition head_factor : Z * Z := root_e K (Zpos (head_width net) * 2 ^ K, 0)%Z.

Definition square_factor : Z * Z := square_root_e K (Zpos (square net)).

(** The ball of the logit of a place, and those of its value. *)
Definition seen_balls (h : head_of ball) (q : balls) (place : balls * ball) : ball * balls :=
  let n := count q 1 in
  (row_ball K n (applied_balls F K W (key h) (fst place)) (map (enlarge n) q)
     [enlarge n (raise (snd place))],
   applied_balls F K W (value h) (fst place)).

Definition attend_balls (h : head_of ball) (x : balls) (seen : list balls) : balls :=
  let q := applied_balls F K W (query h) (map (scaled_ball F K head_factor) x) in
  let found := map (seen_balls h q) (combine seen (offset_bias h)) in
  let weights := softmax_balls F K (map fst found) in
  let n := Z.of_nat (length found) in
  map
    (fun i =>
       row_ball K n weights (map (enlarge n) (map (fun place => nth i (snd place) None) found)) [])
    (seq 0 (length (value h))).

Definition normed_vector_balls (n : norm_of ball) (x : vector_ball) : vector_ball :=
  match known (map raise (gain n)), known (map raise (shift n)) with
  | Some gain, Some shift => normed_vector F K gain shift x
  | _, _ => unknown (combine (combine (gain n) (shift n)) (fst x))
  end.

Definition normed_layer_balls (l : normed_layer_of ball * layer_measures) (x : balls)
  (seen : list balls) : vector_ball :=
  let '(l, (output, expand, contract)) := l in
  let affine := affine_vector F K W in
  let gathered := vector_of K (concat (map (fun h => attend_balls h x seen) (heads (plain l)))) in
  let h :=
    normed_vector_balls (attention_norm l)
      (plus_vector F K (vector_of K x) (affine output gathered)) in
  normed_vector_balls (forward_norm l)
    (plus_vector F K h (affine contract (rectified_vector (affine expand h)))).

Fixpoint normed_everywhere_balls (l : normed_layer_of ball * layer_measures)
  (reversed : list balls) : list balls :=
  match reversed with
  | [] => []
  | x :: before => boxes (normed_layer_balls l x reversed) :: normed_everywhere_balls l before
  end.

Fixpoint normed_block_balls (these : list (normed_layer_of ball * layer_measures))
  (reversed : list balls) : vector_ball :=
  match these, reversed with
  | l :: [], x :: _ => normed_layer_balls l x reversed
  | l :: others, _ => normed_block_balls others (normed_everywhere_balls l reversed)
  | [], _ => ([], None)
  end.

Definition node_balls (x : node) : balls :=
  match x with
  | Pad => map (scaled_ball F K square_factor) (map raise (pad (base net)))
  | Symbol a =>
      map (scaled_ball F K square_factor) (map raise (nth (N.to_nat a) (symbols (base net)) []))
  | Code bits => normed_recall_balls (node_memory (base net)) (memory_norm net) bits
  end.

Definition normed_numbers (these : list (normed_layer_of ball * layer_measures))
  (written : measured) (chunk : list node) : balls :=
  affine_numbers F K W written (normed_block_balls these (rev (map node_balls chunk))).

Definition normed_compose_balls these written (chunk : list node) : option code :=
  signs_of (normed_numbers these written chunk).

Definition normed_class_balls (x : node) : option N :=
  class_balls F K W (answer (base net)) (node_balls x).

End Tree.

(** ** Networks that read symbol by symbol *)

Section Recurrent.

Variable net : gated_network_of ball.

Definition gated_recall_balls (bits : code) : balls :=
  normed_recall_balls (cell_memory (cell net)) (cell_norm net) bits.

(** The ball of a sum of a product and a number. *)
Definition fused_ball (a b c : ball) : ball :=
  row_ball K 2 [a] (map (enlarge 2) [b]) (map (enlarge 2) [c]).

Definition opposite_ball (b : ball) : ball :=
  match b with Some (c, r) => Some (- c, r)%Z | None => None end.

Definition gates_ball (h m_r m_z m_n a_r a_z a_n : ball) : ball :=
  let r := logistic_ball F K (plus_ball F K a_r m_r) in
  let z := logistic_ball F K (plus_ball F K a_z m_z) in
  let n := tanh_ball F K (fused_ball r m_n a_n) in
  fused_ball z (plus_ball F K h (opposite_ball n)) n.

Definition nth_ball (x : balls) (i : nat) : ball := nth i x None.

Definition cell_balls (h moved symbol : balls) : balls :=
  let n := length h in
  if has_gates net then
    map
      (fun i =>
         gates_ball (nth_ball h i) (nth_ball moved i) (nth_ball moved (n + i))
           (nth_ball moved (2 * n + i)) (nth_ball symbol i) (nth_ball symbol (n + i))
           (nth_ball symbol (2 * n + i)))
      (seq 0 n)
  else map (tanh_ball F K) (added_balls F K symbol moved).

Definition gated_step_balls (before : code) (a : N) : option code :=
  let h := gated_recall_balls before in
  code_balls F K W (cell_memory (cell net))
    (cell_balls h (affine_balls F K W (recurrent (cell net)) h)
       (map raise (nth (N.to_nat a) (symbol_rows (cell net)) []))).

Definition gated_class_balls (bits : code) : option N :=
  class_balls F K W (read_out (cell net)) (gated_recall_balls bits).

End Recurrent.

(** * They are right *)

Hypothesis room : has_room F K = true.
Hypothesis few : (0 <= W <= K)%Z.
Variable W_ball : Q -> ball.
Hypothesis W_ball_contains : forall q, contains F W (W_ball q) (number F q).

Let K_pos : (0 <= K)%Z.
Proof. lia. Qed.

Notation all_in := (Forall2 (contains F K)).
Notation exact_in := (Forall2 (contains F W)).

Section Norm.

Variable n : norm_of Q.

Lemma normed_in x fx y : all_in x fx -> normed F (convert_norm (number F) n) fx y ->
  all_in (normed_balls (convert_norm W_ball n) x) y.
Proof.
  intros Hx Hy. eapply norm_sound; [exact room | | | exact Hx | exact Hy];
    apply (raised_in F K W few); now apply weights_in.
Qed.

End Norm.

Lemma normed_recall_in m n bits y :
  normed_recall F (convert_memory _ _ (number F) m) (convert_norm (number F) n) bits y ->
  all_in (normed_recall_balls (convert_memory _ _ W_ball m) (convert_norm W_ball n) bits) y.
Proof.
  intros (read & Hr & Hn). eapply normed_in; [|exact Hn].
  exact (recall_in F K W room few W_ball W_ball_contains m bits read Hr).
Qed.

Lemma scaled_in factor f x fx y : (0 <= f)%R -> around K factor f -> all_in x fx ->
  Forall2 (scaled_gives F f) fx y -> all_in (map (scaled_ball F K factor) x) y.
Proof.
  intros Hf Hfactor Hx. revert y. induction Hx as [|a fa x fx Ha _ IH]; intros y Hy;
    inversion Hy; subst; simpl; constructor; auto.
  eapply scaled_sound; eassumption.
Qed.

(** ** Norms of matrices *)

Variables (S : Z) (S_ball : Q -> ball).
Hypothesis S_few : (0 <= S <= K)%Z.
Hypothesis S_ball_contains : forall q, contains F S (S_ball q) (number F q).

Notation measure_of := (measure K W S W_ball S_ball).
Notation measure_layer := (measure_layer K W S W_ball S_ball).
Notation measured_layer_of := (measured_layer_of K W S W_ball S_ball).
Notation gives fx := (fun '(fw, hs) z => row_gives F fw fx hs z).

Lemma measure_of_sound rows m : measure_of rows = Some m -> measures F K W m (float_rows F rows).
Proof. now apply measure_sound. Qed.

Lemma applied_rows rows x y : applied F (map (map (number F)) rows) x y ->
  Forall2 (gives x) (float_rows F (map (fun row => (row, [])) rows)) y.
Proof.
  revert y. induction rows as [|row rows IH]; intros y H; inversion H; subst; simpl; constructor; auto.
Qed.

Lemma rows_of_affine f x y : affine_gives F (convert_linear _ _ (number F) f) x y ->
  Forall2 (gives x) (float_rows F (affine_rows f)) y.
Proof.
  unfold affine_gives, applied_plus, affine_rows. simpl. generalize (weight f) (bias f).
  intros rows. revert y. induction rows as [|row rows IH]; intros y bs H; [inversion H; constructor|].
  destruct bs as [|b bs]; simpl in *; inversion H; subst; constructor; auto.
Qed.

Lemma normed_vector_in n x fx y : inside F K x fx ->
  normed F (convert_norm (number F) n) fx y ->
  inside F K (normed_vector_balls (convert_norm W_ball n) x) y.
Proof.
  intros Hx Hy. unfold normed_vector_balls, normed in *. simpl in *.
  pose proof (raised_in F K W few _ _ (weights_in F W W_ball W_ball_contains (gain n))) as G.
  pose proof (raised_in F K W few _ _ (weights_in F W W_ball W_ball_contains (shift n))) as B.
  assert (U : inside F K (unknown (combine (combine (map W_ball (gain n)) (map W_ball (shift n))) (fst x))) y).
  { apply unknown_inside. destruct Hy as (m & s & r & _ & _ & _ & Hy).
    rewrite <- (related_length _ _ _ Hy), !combine_length, !map_length.
    now rewrite (inside_length F K x fx Hx). }
  destruct (known (map raise (map W_ball (gain n)))) as [g|] eqn:Eg; [|exact U].
  destruct (known (map raise (map W_ball (shift n)))) as [s|] eqn:Es; [|exact U].
  destruct (known_all F K _ g _ G Eg) as (_ & _ & Sg). rewrite Sg in G.
  destruct (known_all F K _ s _ B Es) as (_ & _ & Ss). rewrite Ss in B.
  eapply normed_inside; [exact room | exact G | exact B | exact Hx | exact Hy].
Qed.

(** ** Trees *)

Section TreeSound.

Variable exact : normed_tree.
Let net := convert_normed_tree W_ball exact.
Let running := convert_normed_tree (number F) exact.

Lemma head_factor_around :
  around K (head_factor net) (/ sqrt (IZR (Zpos (head_width running)))).
Proof.
  unfold head_factor. change (head_width net) with (head_width exact).
  change (head_width running) with (head_width exact). set (d := Zpos (head_width exact)).
  assert (Hd : (0 < d)%Z) by reflexivity. clearbody d.
  assert (Hp : (0 < 2 ^ K)%Z) by (apply Z.pow_pos_nonneg; lia).
  apply (root_around K K_pos).
  - unfold low. cbn [fst snd]. nia.
  - unfold around. cbn [fst snd]. rewrite val_0. unfold val.
    rewrite mult_IZR, IZR_pow, Rmult_assoc, unit_inverse, Rmult_1_r, Rminus_diag_eq, Rabs_R0
      by (assumption || reflexivity).
    lra.
Qed.

Lemma square_factor_around : around K (square_factor net) (root_of_square F running).
Proof. apply (square_root_around K K_pos). discriminate. Qed.

Notation head_in h g :=
  (Forall2 exact_in (query h) (query g) /\ Forall2 exact_in (key h) (key g)
   /\ Forall2 exact_in (value h) (value g) /\ exact_in (offset_bias h) (offset_bias g)).

Lemma seen_in h g q fq v fv r fr found : head_in h g -> all_in q fq -> all_in v fv ->
  contains F W r fr -> seen_gives F g fq (fv, fr) found ->
  contains F K (fst (seen_balls h q (v, r))) (fst found)
  /\ all_in (snd (seen_balls h q (v, r))) (snd found).
Proof.
  intros (_ & Hk & Hv & _) Hq Hx Hr (k & Gk & Gl & Gv). simpl in *. split.
  - change [enlarge (count q 1) (raise r)] with (map (enlarge (count q 1)) [raise r]).
    apply (row_in F K room) with k fq [fr]; auto.
    + exact (applied_in F K W room few _ _ _ _ _ Hk Hx Gk).
    + repeat constructor. now apply raised_contains.
  - exact (applied_in F K W room few _ _ _ _ _ Hv Hx Gv).
Qed.

Lemma attend_in h g x fx seen fseen y : head_in h g -> all_in x fx ->
  Forall2 all_in seen fseen -> attend_gives F running g fx fseen y ->
  all_in (attend_balls net h x seen) y.
Proof.
  intros Hh Hx Hseen (scaled & q & found & weights & Gs & Gq & Gf & Gw & Gy).
  pose proof Hh as (Hq & _ & Hv & Ho). unfold attend_balls.
  assert (Hs : all_in (map (scaled_ball F K (head_factor net)) x) scaled).
  { eapply scaled_in; [|apply head_factor_around | exact Hx | exact Gs].
    apply Rlt_le, Rinv_0_lt_compat, sqrt_lt_R0, IZR_lt. reflexivity. }
  pose proof (applied_in F K W room few _ _ _ _ _ Hq Hs Gq) as Hq'.
  set (q' := applied_balls F K W (query h) _) in *. cbv zeta.
  set (found' := map (seen_balls h q') (combine seen (offset_bias h))).
  assert (Hf : Forall2 (fun b f => contains F K (fst b) (fst f) /\ all_in (snd b) (snd f)) found' found).
  { unfold found'. clear - Hh Hseen Ho Gf Hq' room few K_pos. revert Ho found Gf.
    generalize (offset_bias h). intros os.
    generalize (offset_bias g). intros gs. revert os gs.
    induction Hseen as [|v fv seen fseen Hv Hseen IH]; intros os gs Ho found Gf.
    - inversion Gf. constructor.
    - destruct Ho as [|r fr os gs Hr Ho]; inversion Gf; subst; constructor.
      + now apply seen_in with g q fv fr.
      + now apply IH with gs. }
  assert (Hl : all_in (map fst found') (map fst found)).
  { clear - Hf. induction Hf as [|b f bs fs [H _] _ IH]; constructor; auto. }
  pose proof (softmax_sound F K room _ _ _ Hl Gw) as Hw.
  rewrite (related_length _ _ _ Hv). clear - Gy Hw Hf room few K_pos.
  set (ws := softmax_balls F K (map fst found')) in *. clearbody ws.
  set (n := Z.of_nat (length found')). set (places := seq 0 (length (value g))) in *.
  clearbody places. induction Gy as [|i z places y Hz Gy IH]; constructor; auto.
  change [] with (map (enlarge n) []) at 1. eapply (row_in F K room).
  - lia.
  - exact Hw.
  - instantiate (1 := map (fun place => nth i (snd place) (zero F)) found).
    clear - Hf. induction Hf as [|b f bs fs [_ H] _ IH]; constructor; auto. now apply nth_in.
  - constructor.
  - unfold n. rewrite map_length. cbn [length]. now rewrite Nat.add_0_r.
  - exact Hz.
Qed.

Variable l : normed_layer_of Q.
Let lb := convert_normed_layer W_ball l.
Let lf := convert_normed_layer (number F) l.
Variable m : layer_measures.
Hypothesis measured_layer : measure_layer l = Some m.

Lemma normed_layer_in x fx seen fseen y : all_in x fx ->
  Forall2 all_in seen fseen -> normed_layer_gives F running lf fx fseen y ->
  inside F K (normed_layer_balls net (lb, m) x seen) y.
Proof.
  intros Hx Hseen (gathered & attended & sum & h & hidden & fed & sum' & Gg & Ga & Gs & Gh & Gi & Gf & Gs' & Gy).
  unfold measure_layer in measured_layer.
  destruct (measure_of (map (fun row => (row, [])) (output (plain l)))) as [mo|] eqn:Eo; [|discriminate].
  destruct (measure_of (affine_rows (expand (plain l)))) as [me|] eqn:Ee; [|discriminate].
  destruct (measure_of (affine_rows (contract (plain l)))) as [mc|] eqn:Ec; [|discriminate].
  injection measured_layer as <-. unfold normed_layer_balls. cbv beta iota zeta.
  assert (Hg : all_in (concat (map (fun h => attend_balls net h x seen) (heads (plain lb))))
    (concat gathered)).
  { apply concat_in. clear Ga Gs Gh Gi Gf Gs' Gy. revert gathered Gg.
    unfold lb, lf. simpl. induction (heads (plain l)) as [|one hs IH]; intros gathered Gg;
      inversion Gg; subst; simpl; constructor; auto.
    eapply attend_in; [|exact Hx | exact Hseen | eassumption].
    repeat split; try (now apply rows_in). now apply weights_in. }
  assert (Hh : inside F K (normed_vector_balls (attention_norm lb)
    (plus_vector F K (vector_of K x) (affine_vector F K W mo (vector_of K
       (concat (map (fun h => attend_balls net h x seen) (heads (plain lb)))))))) h).
  { eapply normed_vector_in; [|exact Gh].
    eapply plus_inside; [exact room | apply vector_of_inside; exact Hx | | exact Gs].
    eapply affine_inside; [exact room | lia | apply measure_of_sound; exact Eo
      | apply vector_of_inside; exact Hg |]. now apply applied_rows. }
  eapply normed_vector_in; [|exact Gy].
  eapply plus_inside; [exact room | exact Hh | | exact Gs'].
  eapply affine_inside; [exact room | lia | apply measure_of_sound; exact Ec | | now apply rows_of_affine; exact Gf].
  apply rectified_inside.
  eapply affine_inside; [exact room | lia | apply measure_of_sound; exact Ee | exact Hh
    | now apply rows_of_affine; exact Gi].
Qed.

Lemma normed_everywhere_in xs fxs ys : Forall2 all_in xs fxs ->
  normed_everywhere F running lf fxs ys ->
  Forall2 all_in (normed_everywhere_balls net (lb, m) xs) ys.
Proof.
  intros H. revert ys. induction H as [|x fx xs fxs Hx H IH]; intros ys G.
  - destruct ys; [constructor | contradiction].
  - destruct ys as [|y ys]; [contradiction|]. destruct G as [G1 G2]. constructor; auto.
    eapply normed_layer_in; [exact Hx | | exact G1]. constructor; auto.
Qed.

End TreeSound.

Section TreeTheorems.

Variable exact : normed_tree.
Let net := convert_normed_tree W_ball exact.
Let running := convert_normed_tree (number F) exact.

Lemma normed_block_in these : forall ms xs fxs y, known (map measured_layer_of these) = Some ms ->
  Forall2 all_in xs fxs ->
  normed_block F running (map (convert_normed_layer (number F)) these) fxs y ->
  inside F K (normed_block_balls net ms xs) y.
Proof.
  induction these as [|l these IH]; intros ms xs fxs y E Hxs G.
  - injection E as <-. simpl in *. subst y. split; [constructor | exact I].
  - cbn [map known] in E. unfold measured_layer_of in E at 1.
    destruct (measure_layer l) as [m|] eqn:Em; [|discriminate].
    destruct (known (map measured_layer_of these)) as [others|] eqn:Eo; [|discriminate].
    injection E as <-. destruct these as [|l' these].
    + injection Eo as <-. destruct Hxs as [|x fx xs fxs Hx Hxs].
      * destruct G as (after & _ & ->). split; [constructor | exact I].
      * exact (normed_layer_in exact l m Em x fx (x :: xs) (fx :: fxs) y Hx (Forall2_cons _ _ Hx Hxs) G).
    + destruct G as (after & Ga & Gb).
      assert (B : inside F K (normed_block_balls net others
        (normed_everywhere_balls net (convert_normed_layer W_ball l, m) xs)) y).
      { apply IH with after; auto. exact (normed_everywhere_in exact l m Em xs fxs after Hxs Ga). }
      destruct others as [|one others]; [|exact B].
      exfalso. clear - Eo. cbn [map known] in Eo. destruct (measured_layer_of l'); [|discriminate].
      destruct (known (map measured_layer_of these)); discriminate.
Qed.

Lemma node_in x y : node_gives F running x y -> all_in (node_balls net x) y.
Proof.
  assert (Root : (0 <= root_of_square F running)%R) by apply sqrt_pos.
  destruct x as [|a|bits]; simpl.
  - apply scaled_in; auto; [apply square_factor_around|]. apply (raised_in F K W few). now apply weights_in.
  - apply scaled_in; auto; [apply square_factor_around|]. apply (raised_in F K W few). now apply rows_nth.
  - apply normed_recall_in.
Qed.

Lemma normed_compose_one ms mw chunk known_bits bits :
  known (map measured_layer_of (normed_layers exact)) = Some ms ->
  measure_of (affine_rows (written (node_memory (base exact)))) = Some mw ->
  normed_compose_balls net ms mw chunk = Some known_bits ->
  normed_compose F running chunk bits -> bits = known_bits.
Proof.
  intros Em Ew Hk (vectors & y & Gv & Gb & numbers & Gn & ->).
  eapply signs_sound; [|exact Hk].
  eapply numbers_in; [exact room | lia | apply measure_of_sound; exact Ew | | apply rows_of_affine; exact Gn].
  eapply normed_block_in; [exact Em | | exact Gb]. apply related_rev.
  clear - Gv room few W_ball_contains K_pos. induction Gv; constructor; auto. now apply node_in.
Qed.

Lemma normed_class_one x c found : normed_class_balls net x = Some c ->
  normed_class F running x found -> found = Some c.
Proof.
  intros Hc (y & Gy & Gc).
  eapply (class_sound F K W room few W_ball W_ball_contains); [|exact Hc | exact Gc].
  now apply node_in.
Qed.

End TreeTheorems.

(** ** Networks that read symbol by symbol *)

Section RecurrentSound.

Variable exact : gated_network.
Let net := convert_gated W_ball exact.
Let running := convert_gated (number F) exact.

Lemma fused_sound a b c fa fb fc z : contains F K a fa -> contains F K b fb ->
  contains F K c fc -> sums F [Product fa fb; Number fc] z -> contains F K (fused_ball a b c) z.
Proof.
  intros Ha Hb Hc Hz. apply (row_in F K room) with [fa] [fb] [fc]; auto; repeat constructor; auto.
Qed.

Lemma opposite_sound b x : contains F K b x -> contains F K (opposite_ball b) (Bopp x).
Proof.
  destruct b as [[c r]|]; simpl; auto. intros (Hr & Hl & Fx & H). unfold real in *.
  rewrite is_finite_Bopp, B2R_Bopp, Z.abs_opp, opp_IZR. repeat split; auto.
  replace (- B2R x - - IZR c * unit_ K)%R with (- (B2R x - IZR c * unit_ K))%R by ring.
  now rewrite Rabs_Ropp.
Qed.

Lemma gates_sound h m_r m_z m_n a_r a_z a_n fh f_r f_z f_n g_r g_z g_n y :
  contains F K h fh -> contains F K m_r f_r -> contains F K m_z f_z -> contains F K m_n f_n ->
  contains F K a_r g_r -> contains F K a_z g_z -> contains F K a_n g_n ->
  gates_give F fh f_r f_z f_n g_r g_z g_n y ->
  contains F K (gates_ball h m_r m_z m_n a_r a_z a_n) y.
Proof.
  intros Hh Hmr Hmz Hmn Har Haz Han (s_r & s_z & r & z & t & n & change & Hsr & Hr & Hsz & Hz & Ht & Hn & Hc & Hy).
  unfold gates_ball.
  assert (R : contains F K (logistic_ball F K (plus_ball F K a_r m_r)) r)
    by (eapply logistic_sound; [exact room | | exact Hr]; eapply plus_sound; [exact room | exact Har | exact Hmr | exact Hsr]).
  assert (Z : contains F K (logistic_ball F K (plus_ball F K a_z m_z)) z)
    by (eapply logistic_sound; [exact room | | exact Hz]; eapply plus_sound; [exact room | exact Haz | exact Hmz | exact Hsz]).
  set (rb := logistic_ball F K (plus_ball F K a_r m_r)) in *. clearbody rb.
  set (zb := logistic_ball F K (plus_ball F K a_z m_z)) in *. clearbody zb. cbv zeta.
  assert (N : contains F K (tanh_ball F K (fused_ball rb m_n a_n)) n)
    by (eapply tanh_sound; [exact room | | exact Hn]; eapply fused_sound; [exact R | exact Hmn | exact Han | exact Ht]).
  set (nb := tanh_ball F K (fused_ball rb m_n a_n)) in *. clearbody nb.
  eapply fused_sound; [exact Z | | exact N | exact Hy].
  eapply plus_sound; [exact room | exact Hh | apply opposite_sound; exact N | exact Hc].
Qed.

Lemma cell_in h fh moved fmoved symbol fsymbol y : all_in h fh -> all_in moved fmoved ->
  all_in symbol fsymbol -> cell_gives F running fh fmoved fsymbol y ->
  all_in (cell_balls net h moved symbol) y.
Proof.
  intros Hh Hm Hs Hy. unfold cell_balls, cell_gives in *.
  change (has_gates net) with (has_gates exact). change (has_gates running) with (has_gates exact) in Hy.
  rewrite (related_length _ _ _ Hh). cbv zeta in *. destruct (has_gates exact).
  - set (n := length fh) in *. set (places := seq 0 n) in *. clearbody places n.
    induction Hy as [|i z places y Hz _ IH]; constructor; auto.
    eapply gates_sound; [| | | | | | | exact Hz]; now apply nth_in.
  - destruct Hy as (sum & Hsum & Hy).
    pose proof (added_in F K room _ _ _ _ _ Hs Hm Hsum) as A.
    set (sb := added_balls F K symbol moved) in *. clearbody sb. clear - A Hy room.
    revert y Hy. induction A as [|b f sb fs Hb _ IH]; intros y Hy; inversion Hy; subst; simpl;
      constructor; auto.
    eapply tanh_sound; [exact room | exact Hb | assumption].
Qed.

Lemma gated_step_one before a known bits : gated_step_balls net before a = Some known ->
  gated_step F running before a bits -> bits = known.
Proof.
  intros Hk (h & moved & y & Gh & Gm & Gy & Gc).
  eapply (code_sound F K W room few W_ball W_ball_contains); [|exact Hk | exact Gc].
  assert (Hh : all_in (gated_recall_balls net before) h) by (apply normed_recall_in; exact Gh).
  eapply cell_in; [exact Hh | | | exact Gy].
  - eapply (affine_in F K W room few); [now apply converted_linear | exact Hh | exact Gm].
  - apply (raised_in F K W few). now apply rows_nth.
Qed.

Lemma gated_class_one bits c found : gated_class_balls net bits = Some c ->
  gated_class F running bits found -> found = Some c.
Proof.
  intros Hc (x & Gx & Gc).
  eapply (class_sound F K W room few W_ball W_ball_contains); [|exact Hc | exact Gc].
  apply normed_recall_in. exact Gx.
Qed.

End RecurrentSound.

End Networks.

(** * Weights with fewer places *)

(** A ball of [places] places around a weight of [all] places. *)
Definition rough_ball (F : format) (all places : Z) (q : Q) : ball :=
  match weight_ball F all q with
  | Some (c, r) =>
      if (all <=? places)%Z then raised places all (Some (c, r))
      else
        let less := Z.shiftr c (all - places) in
        if (Z.shiftl less (all - places) =? c)%Z then kept places less 0 else kept places less 1
  | None => None
  end.

Lemma rough_contains F all places q : has_room F (Z.max all places) = true ->
  (0 <= all)%Z -> (0 <= places)%Z -> contains F places (rough_ball F all places q) (number F q).
Proof.
  intros room Hall Hplaces. unfold rough_ball.
  pose proof (weight_contains F _ room all q ltac:(lia)) as C.
  assert (Radius : forall b, weight_ball F all q = Some b -> snd b = 0%Z).
  { intros b. unfold weight_ball, kept. destruct (_ && _ && _)%bool; [|discriminate].
    destruct (_ <? _)%Z; [|discriminate]. now intros [= <-]. }
  destruct (weight_ball F all q) as [[c r]|]; [|exact I]. specialize (Radius _ eq_refl).
  simpl in Radius. subst r. destruct (Z.leb_spec all places) as [L|L].
  - apply raised_contains; auto.
  - cbv zeta. destruct C as (_ & _ & Fx & H). set (less := Z.shiftr c (all - places)).
    assert (E : unit_ all = (bpow radix2 (- (all - places)) * unit_ places)%R).
    { unfold unit_. rewrite <- bpow_plus. f_equal. ring. }
    pose proof (shiftr_bounds F c (all - places) ltac:(lia)) as B. fold less in B.
    pose proof (unit_pos places) as Hk. rewrite Rmult_0_l in H.
    assert (X : real F (number F q) = (IZR c * unit_ all)%R).
    { apply Rabs_le_inv in H. lra. }
    destruct (Z.eqb_spec (Z.shiftl less (all - places)) c) as [Ec|_];
      (apply kept_spec; [lia | exact Fx |]); rewrite X, E.
    + rewrite <- Ec, shiftl_is by lia.
      replace (IZR less * bpow radix2 (all - places)
        * (bpow radix2 (- (all - places)) * unit_ places))%R
        with (IZR less * unit_ places
              * (bpow radix2 (all - places) * bpow radix2 (- (all - places))))%R by ring.
      rewrite <- bpow_plus, Z.add_opp_diag_r. simpl bpow.
      rewrite Rmult_1_r, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    + replace (IZR c * (bpow radix2 (- (all - places)) * unit_ places) - IZR less * unit_ places)%R
        with ((IZR c * bpow radix2 (- (all - places)) - IZR less) * unit_ places)%R by ring.
      rewrite Rabs_mult, (Rabs_pos_eq (unit_ places)) by lra.
      apply Rmult_le_compat_r; [lra|]. apply Rabs_le. lra.
Qed.

(** * The theorems *)

Definition norm_rows (n : norm_of Q) : list coordinates := [gain n; shift n].

Definition normed_rows (net : normed_tree) : list coordinates :=
  tree_rows (base net) ++ norm_rows (memory_norm net)
  ++ flat_map
       (fun l => layer_rows (plain l) ++ norm_rows (attention_norm l) ++ norm_rows (forward_norm l))
       (normed_layers net).

Definition gated_rows (net : gated_network) : list coordinates :=
  recurrent_rows (cell net) ++ norm_rows (cell_norm net).

(** The places that numbers keep, those of weights, and those of weights for norms of matrices: bounds
    do not become smaller with more. *)
Definition smooth_places : Z := 44.
Definition rough_places : Z := 40.
Definition norm_places : Z := 16.

Definition smooth_fits (F : format) (all : Z) : bool :=
  has_room F (Z.max all smooth_places) && (0 <=? all)%Z.

Lemma smooth_fits_spec F all : smooth_fits F all = true ->
  has_room F smooth_places = true
  /\ (forall places q, (0 <= places <= smooth_places)%Z ->
       contains F places (rough_ball F all places q) (number F q)).
Proof.
  unfold smooth_fits. rewrite andb_true_iff, Z.leb_le. intros [H1 H2].
  unfold has_room, smooth_places in *. rewrite !andb_true_iff, !Z.leb_le in H1. split.
  - rewrite !andb_true_iff, !Z.leb_le. lia.
  - intros places q Hp. unfold smooth_places in Hp. apply rough_contains; [|exact H2 | lia].
    unfold has_room. rewrite !andb_true_iff, !Z.leb_le. lia.
Qed.

(** A network with balls for weights, with the norms of its matrices. *)
Definition measured_tree (F : format) (net : normed_tree)
  : option (normed_tree_of ball * list (normed_layer_of ball * layer_measures) * measured) :=
  let rough := rough_ball F (most_places (normed_rows net)) in
  let more := rough rough_places in
  let fewer := rough norm_places in
  match
    known (map (measured_layer_of smooth_places rough_places norm_places more fewer)
             (normed_layers net)),
    measure smooth_places rough_places norm_places more fewer
      (affine_rows (written (node_memory (base net))))
  with
  | Some layers, Some written => Some (convert_normed_tree more net, layers, written)
  | _, _ => None
  end.

(** Whether a network with norms gives a table in any order of additions. *)
Definition check_normed_tree (F : format) (net : normed_tree) (num_symbols : N)
  (codes : list code) (T : tree) : bool :=
  match measured_tree F net with
  | Some (balls, layers, written) =>
      smooth_fits F (most_places (normed_rows net))
      && check_tables (places (base net))
           (normed_compose_balls F smooth_places rough_places balls layers written)
           (normed_class_balls F smooth_places rough_places balls) num_symbols codes T
  | None => false
  end.

Definition check_gated_network (F : format) (net : gated_network) (num_symbols : N)
  (codes : list code) (R : recurrence) : bool :=
  let all := most_places (gated_rows net) in
  let balls := convert_gated (rough_ball F all rough_places) net in
  smooth_fits F all
  && check_steps (first_balls F smooth_places rough_places (cell balls))
       (gated_step_balls F smooth_places rough_places balls)
       (gated_class_balls F smooth_places rough_places balls) num_symbols codes R.

(** Whatever order a network adds in, it answers as its table does. *)
Theorem float_normed_tree_as_table (F : format) (net : normed_tree) (codes : list code)
  (T : tree) (L : language) :
  check_normed_tree F net (num_symbols L) codes T = true ->
  forall w : word, is_word L w -> forall c, tree_class T w = Some c ->
  forall found, normed_tree_may_answer F net w found -> found = Some c.
Proof.
  unfold check_normed_tree, measured_tree. cbv zeta beta.
  set (rough := rough_ball F (most_places (normed_rows net))).
  destruct (known _) as [layers|] eqn:El; [|discriminate].
  destruct (measure _ _ _ _ _ _) as [mw|] eqn:Ew; [|discriminate].
  rewrite andb_true_iff. intros [Hfits H] w Hw c Hc found.
  apply smooth_fits_spec in Hfits. destruct Hfits as [room right]. fold rough in right.
  assert (few : (0 <= rough_places <= smooth_places)%Z) by (unfold rough_places, smooth_places; lia).
  assert (fewer : (0 <= norm_places <= smooth_places)%Z) by (unfold norm_places, smooth_places; lia).
  unfold normed_tree_may_answer. cbv zeta.
  change (places (base (convert_normed_tree (number F) net))) with (places (base net)).
  eapply answers_as_table; try eassumption.
  - intros chunk known_bits bits. eapply (normed_compose_one F _ _ room few _
      (fun q => right rough_places q few) norm_places (rough norm_places) fewer
      (fun q => right norm_places q fewer) net); eassumption.
  - exact (normed_class_one F _ _ room few _ (fun q => right rough_places q few) net).
Qed.

Theorem float_gated_network_as_table (F : format) (net : gated_network) (codes : list code)
  (R : recurrence) (L : language) :
  check_gated_network F net (num_symbols L) codes R = true ->
  forall w : word, is_word L w -> forall c, recurrence_class R w = Some c ->
  forall found, gated_network_may_answer F net w found -> found = Some c.
Proof.
  unfold check_gated_network. cbv zeta. rewrite andb_true_iff. intros [Hfits H] w Hw c Hc found.
  apply smooth_fits_spec in Hfits. destruct Hfits as [room right].
  assert (few : (0 <= rough_places <= smooth_places)%Z) by (unfold rough_places, smooth_places; lia).
  unfold gated_network_may_answer. cbv zeta.
  eapply answers_as_steps; try eassumption.
  - exact (first_one F _ _ room few _ (fun q => right rough_places q few) (cell net)).
  - exact (gated_step_one F _ _ room few _ (fun q => right rough_places q few) net).
  - exact (gated_class_one F _ _ room few _ (fun q => right rough_places q few) net).
Qed.

Print Assumptions float_normed_tree_as_table.
Print Assumptions float_gated_network_as_table.
