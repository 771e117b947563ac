(** The checkers of networks in floating point, and the theorems about them.

    A checker computes a ball around every number of the network, for each entry of a table; where
    all signs are certain, and the largest logits, the network does what the table says, in whatever
    order it adds. *)

From Coq Require Import List NArith ZArith QArith Bool Lia.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Words Data Arrays TreeChecker TreeSound Recurrence Theorems.
From Lengthwise Require Import Networks Runs Weights Floats FloatNetworks Balls.
Import ListNotations.

Lemma related_length {A B} (related : A -> B -> Prop) xs ys :
  Forall2 related xs ys -> length xs = length ys.
Proof. induction 1; simpl; auto. Qed.

Lemma related_rev {A B} (related : A -> B -> Prop) xs ys :
  Forall2 related xs ys -> Forall2 related (rev xs) (rev ys).
Proof. induction 1; simpl; auto. apply Forall2_app; auto. Qed.

Section Networks.

(** Numbers of the network have K places, and weights W. *)
Variables (F : format) (K W : Z).

Notation balls := (list ball).
Notation enlarge := (enlarge F).
Notation row_ball := (row_ball F K).
Notation raise := (raised K W).

Definition count (xs : balls) (more : nat) : Z := Z.of_nat (length xs + more).

Definition applied_balls (rows : list balls) (x : balls) : balls :=
  let n := count x 0 in
  let x := map (enlarge n) x in
  map (fun row => row_ball W n row x []) rows.

Definition applied_plus_balls (rows : list balls) (x more : balls) : balls :=
  let n := count x 1 in
  let x := map (enlarge n) x in
  map (fun '(row, a) => row_ball W n row x [enlarge n a]) (combine rows more).

Definition added_balls (x y : balls) : balls :=
  map (fun '(a, b) => plus_ball F K a b) (combine x y).

Definition affine_balls (f : linear_of ball) (x : balls) : balls :=
  applied_plus_balls (weight f) x (map raise (bias f)).

(** The signs of numbers, if all are certain. *)
Fixpoint signs_of (numbers : balls) : option (list bool) :=
  match numbers with
  | [] => Some []
  | b :: numbers =>
      match sign_of b, signs_of numbers with
      | Some bit, Some bits => Some (bit :: bits)
      | _, _ => None
      end
  end.

Definition code_balls (m : memory_of ball) (x : balls) : option code :=
  signs_of (affine_balls (written m) x).

Definition recall_balls (m : memory_of ball) (bits : code) : balls :=
  affine_balls (recalled m) (map (fun bit : bool => raise (if bit then on m else off m)) bits).

Definition largest_ball (x : balls) : option N :=
  option_map N.of_nat
    (find
       (fun i =>
          forallb (fun j => (j =? i)%nat || below (nth j x None) (nth i x None)) (seq 0 (length x)))
       (seq 0 (length x))).

Definition class_balls (f : linear_of ball) (x : balls) : option N :=
  largest_ball (affine_balls f x).

(** ** Trees *)

Section Tree.

Variable net : tree_network_of ball.

Definition place_balls (h : head_of ball) (q : balls) (place : balls * ball) : ball * balls :=
  let n := count q 1 in
  let logit :=
    row_ball K n (applied_balls (key h) (fst place)) (map (enlarge n) q)
      [enlarge n (raise (snd place))] in
  (row_ball W 1 [share net] [enlarge 1 (rectified_ball logit)] [],
   applied_balls (value h) (fst place)).

Definition gather_balls (h : head_of ball) (x : balls) (seen : list balls) : balls :=
  let scaled := map (fun a => row_ball W 1 [query_scale net] [enlarge 1 a] []) x in
  let q := applied_balls (query h) scaled in
  let found := map (place_balls h q) (combine seen (offset_bias h)) in
  let weights := map fst found in
  let n := count weights 0 in
  map
    (fun i =>
       row_ball K n weights (map (enlarge n) (map (fun place => nth i (snd place) None) found))
         [])
    (seq 0 (length (value h))).

Definition layer_balls (l : layer_of ball) (x : balls) (seen : list balls) : balls :=
  let gathered := concat (map (fun h => gather_balls h x seen) (heads l)) in
  let h := added_balls x (applied_balls (output l) gathered) in
  added_balls h (affine_balls (contract l) (map rectified_ball (affine_balls (expand l) h))).

Fixpoint everywhere_balls (l : layer_of ball) (reversed : list balls) : list balls :=
  match reversed with
  | [] => []
  | x :: before => layer_balls l x reversed :: everywhere_balls l before
  end.

Fixpoint block_balls (these : list (layer_of ball)) (reversed : list balls) : balls :=
  match these, reversed with
  | l :: [], x :: _ => layer_balls l x reversed
  | l :: others, _ => block_balls others (everywhere_balls l reversed)
  | [], _ => []
  end.

Definition vector_balls (x : node) : balls :=
  match x with
  | Pad => map raise (pad net)
  | Symbol a => map raise (nth (N.to_nat a) (symbols net) [])
  | Code bits => recall_balls (node_memory net) bits
  end.

Definition compose_balls (chunk : list node) : option code :=
  code_balls (node_memory net) (block_balls (layers net) (rev (map vector_balls chunk))).

Definition node_class_balls (x : node) : option N := class_balls (answer net) (vector_balls x).

End Tree.

(** ** Networks that read symbol by symbol *)

Section Recurrent.

Variable net : recurrent_network_of ball.

Definition first_balls : option code := code_balls (cell_memory net) (map raise (first_vector net)).

Definition step_balls (before : code) (a : N) : option code :=
  code_balls (cell_memory net)
    (map rectified_ball
       (added_balls (map raise (nth (N.to_nat a) (symbol_rows net) []))
          (affine_balls (recurrent net) (recall_balls (cell_memory net) before)))).

Definition code_class_balls (bits : code) : option N :=
  class_balls (read_out net) (recall_balls (cell_memory net) bits).

End Recurrent.

(** * They are right *)

Hypothesis room : has_room F K = true.
Hypothesis few : (0 <= W <= K)%Z.

(** A ball for each weight. *)
Variable W_ball : Q -> ball.
Hypothesis W_ball_contains : forall q, contains F W (W_ball q) (number F q).

Definition all_in : balls -> list (float F) -> Prop := Forall2 (contains F K).

(** The same for weights. *)
Definition exact_in : balls -> list (float F) -> Prop := Forall2 (contains F W).

Lemma weights_in xs : exact_in (map W_ball xs) (map (number F) xs).
Proof. induction xs; constructor; auto. Qed.

Lemma rows_in rows :
  Forall2 exact_in (map (map W_ball) rows) (map (map (number F)) rows).
Proof. induction rows; constructor; auto. apply weights_in. Qed.

Lemma rows_nth rows i :
  exact_in (nth i (map (map W_ball) rows) []) (nth i (map (map (number F)) rows) []).
Proof.
  revert i. induction rows; intros [|i]; simpl; try constructor; auto. apply weights_in.
Qed.

Lemma raised_in xs fs : exact_in xs fs -> all_in (map raise xs) fs.
Proof. induction 1; constructor; auto. now apply raised_contains. Qed.

Lemma in_length xs fs : all_in xs fs -> length xs = length fs.
Proof. apply related_length. Qed.

Lemma row_in places n row fs xs gs more hs z : (0 <= places)%Z ->
  Forall2 (contains F places) row fs -> all_in xs gs -> all_in more hs ->
  n = Z.of_nat (length xs + length more) -> row_gives F fs gs hs z ->
  contains F K (row_ball places n row (map (enlarge n) xs) (map (enlarge n) more)) z.
Proof.
  intros Hp Hrow Hxs Hmore -> Hz. apply row_sound with fs gs hs; auto; [lia|].
  rewrite (in_length _ _ Hxs), (in_length _ _ Hmore). lia.
Qed.

Lemma applied_in rows frows x fx y : Forall2 exact_in rows frows -> all_in x fx ->
  applied F frows fx y -> all_in (applied_balls rows x) y.
Proof.
  intros Hrows Hx Hy. unfold applied_balls, applied in *. revert y Hy.
  induction Hrows as [|row frow rows frows Hrow Hrows IH]; intros y Hy; inversion Hy; subst;
    constructor; [|now apply IH].
  change [] with (map (enlarge (count x 0)) []) at 1.
  apply row_in with frow fx []; auto; [lia | constructor].
Qed.

Lemma applied_plus_in rows frows x fx more fmore y :
  Forall2 exact_in rows frows -> all_in x fx -> all_in more fmore ->
  applied_plus F frows fx fmore y -> all_in (applied_plus_balls rows x more) y.
Proof.
  intros Hrows Hx. unfold applied_plus_balls, applied_plus in *. revert more fmore y.
  induction Hrows as [|row frow rows frows Hrow Hrows IH]; intros more fmore y Hmore Hy.
  - inversion Hy. constructor.
  - destruct Hmore as [|a fa more fmore Ha Hmore]; inversion Hy; subst; constructor;
      [|now apply IH with fmore].
    change [enlarge (count x 1) a] with (map (enlarge (count x 1)) [a]).
    apply row_in with frow fx [fa]; auto; [lia|]. repeat constructor. exact Ha.
Qed.

Lemma added_in x fx y fy z : all_in x fx -> all_in y fy -> added F fx fy z ->
  all_in (added_balls x y) z.
Proof.
  intros Hx. unfold added_balls, added. revert y fy z.
  induction Hx as [|a fa x fx Ha Hx IH]; intros y fy z Hy Hz; [inversion Hz; constructor|].
  destruct Hy as [|b fb y fy Hb Hy]; inversion Hz; subst; constructor.
  - now apply plus_sound with fa fb.
  - now apply IH with fy.
Qed.

Notation linear_in f g :=
  (Forall2 exact_in (weight f) (weight g) /\ exact_in (bias f) (bias g)).

Lemma converted_linear f :
  linear_in (convert_linear _ _ W_ball f) (convert_linear _ _ (number F) f).
Proof. split; [apply rows_in | apply weights_in]. Qed.

Lemma affine_in f g x fx y : linear_in f g -> all_in x fx -> affine_gives F g fx y ->
  all_in (affine_balls f x) y.
Proof. intros [H1 H2] Hx. apply applied_plus_in; auto. now apply raised_in. Qed.

Lemma signs_sound x fx bits : all_in x fx -> signs_of x = Some bits -> bits_of F fx = bits.
Proof.
  intros H. revert bits. induction H as [|b f x fx Hb H IH]; intros bits E; simpl in E.
  - now injection E.
  - destruct (sign_of b) as [bit|] eqn:Eb; [|discriminate].
    destruct (signs_of x) as [others|]; [|discriminate]. injection E as <-. simpl. f_equal; auto.
    now apply sign_sound with K b.
Qed.

Lemma rectified_in x fx : all_in x fx -> all_in (map rectified_ball x) (map (rectified F) fx).
Proof. induction 1; constructor; auto. now apply rectified_sound. Qed.

Section Memory.

Variable m : memory_of Q.
Let mb := convert_memory _ _ W_ball m.
Let mf := convert_memory _ _ (number F) m.

Lemma code_sound x fx known bits : all_in x fx -> code_balls mb x = Some known ->
  code_gives F mf fx bits -> bits = known.
Proof.
  intros Hx Hk (numbers & Hn & ->). apply signs_sound with (affine_balls (written mb) x); auto.
  apply affine_in with (written mf) fx; auto. apply converted_linear.
Qed.

Lemma recall_in bits y : recall_gives F mf bits y -> all_in (recall_balls mb bits) y.
Proof.
  intros H. eapply affine_in; [apply converted_linear | | exact H].
  clear H. induction bits as [|bit bits IH]; constructor; auto.
  apply raised_contains; auto. destruct bit; apply W_ball_contains.
Qed.

End Memory.

Lemma nth_in x fx i : all_in x fx -> contains F K (nth i x None) (nth i fx (zero F)).
Proof. intros H. revert i. induction H; intros [|i]; simpl; auto. Qed.

Lemma largest_sound x fx c : all_in x fx -> largest_ball x = Some c -> float_largest F fx = Some c.
Proof.
  intros H. unfold largest_ball, float_largest. rewrite <- (in_length _ _ H).
  set (places := seq 0 (length x)).
  set (p := fun i => forallb (fun j => (j =? i)%nat || below (nth j x None) (nth i x None)) places).
  set (q := fun i => forallb
    (fun j => (j =? i)%nat || Bltb (nth j fx (zero F)) (nth i fx (zero F))) places).
  destruct (find p places) as [i|] eqn:E; [|discriminate]. intros [= <-].
  apply find_some in E. destruct E as [Hin Hp].
  assert (Less : forall j, In j places -> j <> i ->
    Bltb (nth j fx (zero F)) (nth i fx (zero F)) = true
    /\ Bltb (nth i fx (zero F)) (nth j fx (zero F)) = false).
  { intros j Hj Hne. unfold p in Hp. rewrite forallb_forall in Hp. specialize (Hp j Hj).
    apply orb_true_iff in Hp. destruct Hp as [Hp|Hp]; [apply Nat.eqb_eq in Hp; contradiction|].
    eapply below_sound; [apply nth_in, H | apply nth_in, H | exact Hp]. }
  assert (Q : q i = true).
  { unfold q. apply forallb_forall. intros j Hj. destruct (Nat.eqb_spec j i); auto. simpl.
    now apply Less. }
  destruct (find q places) as [i'|] eqn:E'.
  - apply find_some in E'. destruct E' as [Hin' Hq]. simpl. do 2 f_equal.
    destruct (Nat.eq_dec i' i) as [|Hne]; auto. exfalso.
    unfold q in Hq. rewrite forallb_forall in Hq. specialize (Hq i Hin).
    destruct (Less i' Hin' Hne) as [_ L]. rewrite L, orb_false_r in Hq. apply Nat.eqb_eq in Hq. auto.
  - pose proof (find_none _ _ E' i Hin). congruence.
Qed.

Lemma class_sound f x fx c found : all_in x fx ->
  class_balls (convert_linear _ _ W_ball f) x = Some c ->
  class_gives F (convert_linear _ _ (number F) f) fx found -> found = Some c.
Proof.
  intros Hx Hc (logits & Hl & ->).
  eapply largest_sound; [|exact Hc]. eapply affine_in; [apply converted_linear | exact Hx | exact Hl].
Qed.

(** ** Trees *)

Section TreeSound.

Variable exact : tree_network.
Let net := convert_tree W_ball exact.
Let running := convert_tree (number F) exact.

Lemma applied_one a fa b fb z : contains F W a fa -> contains F K b fb ->
  sums F [Product fa fb] z -> contains F K (row_ball W 1 [a] [enlarge 1 b] []) z.
Proof.
  intros Ha Hb Hz. change [enlarge 1 b] with (map (enlarge 1) [b]).
  change [] with (map (enlarge 1) []). apply row_in with [fa] [fb] []; auto;
    [lia | | |]; repeat constructor; assumption.
Qed.

Notation head_in h g :=
  (Forall2 exact_in (query h) (query g) /\ Forall2 exact_in (key h) (key g)
   /\ Forall2 exact_in (value h) (value g) /\ exact_in (offset_bias h) (offset_bias g)).

Lemma place_in h g q fq v fv r fr found : head_in h g -> all_in q fq -> all_in v fv ->
  contains F W r fr -> place_gives F running g fq (fv, fr) found ->
  contains F K (fst (place_balls net h q (v, r))) (fst found)
  /\ all_in (snd (place_balls net h q (v, r))) (snd found).
Proof.
  intros (_ & Hk & Hv & _) Hq Hx Hr (x & logit & Gk & Gl & Gw & Gv). simpl in *. split.
  - apply applied_one with (share running) (rectified F logit); auto.
    + apply W_ball_contains.
    + apply rectified_sound; auto.
      change [enlarge (count q 1) (raise r)] with (map (enlarge (count q 1)) [raise r]).
      apply row_in with x fq [fr]; auto; [lia | |].
      * now apply applied_in with (key g) fv.
      * repeat constructor. now apply raised_contains.
  - now apply applied_in with (value g) fv.
Qed.

Lemma gather_in h g x fx seen fseen y : head_in h g -> all_in x fx ->
  Forall2 all_in seen fseen -> gather_gives F running g fx fseen y ->
  all_in (gather_balls net h x seen) y.
Proof.
  intros Hh Hx Hseen (scaled & q & found & Gs & Gq & Gf & Gy). unfold gather_balls.
  set (scaled' := map (fun a => row_ball W 1 [query_scale net] [enlarge 1 a] []) x).
  assert (Hs : all_in scaled' scaled).
  { unfold scaled'. clear - Hx Gs room few W_ball_contains. revert scaled Gs.
    induction Hx as [|a fa x fx Ha Hx IH]; intros scaled Gs; inversion Gs; subst; constructor.
    - apply applied_one with (query_scale running) fa; auto. apply W_ball_contains.
    - now apply IH. }
  pose proof Hh as (Hq & _ & Hv & Ho).
  assert (Hq' : all_in (applied_balls (query h) scaled') q) by now apply applied_in with (query g) scaled.
  set (q' := applied_balls (query h) scaled') in *.
  set (found' := map (place_balls net h q') (combine seen (offset_bias h))).
  assert (Hf : Forall2 (fun b f => contains F K (fst b) (fst f) /\ all_in (snd b) (snd f)) found' found).
  { unfold found'. clear - Hh Hseen Ho Gf Hq' room few W_ball_contains. revert Ho found Gf.
    generalize (offset_bias h). intros os.
    generalize (offset_bias g). intros gs. revert os gs.
    induction Hseen as [|v fv seen fseen Hv Hseen IH]; intros os gs Ho found Gf.
    - inversion Gf. constructor.
    - destruct Ho as [|r fr os gs Hr Ho]; inversion Gf; subst; constructor.
      + now apply place_in with g q fv fr.
      + now apply IH with gs. }
  assert (Hw : all_in (map fst found') (map fst found)).
  { clear - Hf. induction Hf as [|b f bs fs [H _] _ IH]; constructor; auto. }
  rewrite (related_length _ _ _ Hv). clear - Gy Hw Hf room few W_ball_contains.
  set (n := count (map fst found') 0). set (places := seq 0 (length (value g))) in *.
  clearbody places. induction Gy as [|i z places y Hz Gy IH]; constructor; auto.
  change [] with (map (enlarge n) []) at 1. eapply row_in.
  - lia.
  - exact Hw.
  - instantiate (1 := map (fun place => nth i (snd place) (zero F)) found).
    clear - Hf. induction Hf as [|b f bs fs [_ H] _ IH]; constructor; auto. now apply nth_in.
  - constructor.
  - unfold n, count. now rewrite !map_length.
  - exact Hz.
Qed.

Notation layer_in l g :=
  (Forall2 (fun h k => head_in h k) (heads l) (heads g) /\ Forall2 exact_in (output l) (output g)
   /\ linear_in (expand l) (expand g) /\ linear_in (contract l) (contract g)).

Lemma concat_in xs ys : Forall2 all_in xs ys -> all_in (concat xs) (concat ys).
Proof. induction 1; simpl; [constructor|]. now apply Forall2_app. Qed.

Lemma layer_in_ l g x fx seen fseen y : layer_in l g -> all_in x fx ->
  Forall2 all_in seen fseen -> layer_gives F running g fx fseen y ->
  all_in (layer_balls net l x seen) y.
Proof.
  intros (Hheads & Ho & He & Hc) Hx Hseen (gathered & attended & h & hidden & fed & Gg & Ga & Gh & Gi & Gf & Gy).
  unfold layer_balls.
  assert (Hg : all_in (concat (map (fun h => gather_balls net h x seen) (heads l)))
    (concat gathered)).
  { apply concat_in. clear Ga Gh Gi Gf Gy. revert gathered Gg.
    induction Hheads as [|a b hs gs Hh Hheads IH]; intros gathered Gg; inversion Gg; subst;
      constructor.
    - now apply gather_in with b fx fseen.
    - now apply IH. }
  assert (Hh : all_in (added_balls x (applied_balls (output l)
    (concat (map (fun h => gather_balls net h x seen) (heads l))))) h)
    by (eapply added_in; [exact Hx | eapply applied_in; eassumption | exact Gh]).
  eapply added_in; [exact Hh | | exact Gy].
  eapply affine_in; [exact Hc | | exact Gf]. apply rectified_in. eapply affine_in; eassumption.
Qed.

Lemma everywhere_in l g xs fxs ys : layer_in l g -> Forall2 all_in xs fxs ->
  everywhere_gives F running g fxs ys -> Forall2 all_in (everywhere_balls net l xs) ys.
Proof.
  intros Hl H. revert ys. induction H as [|x fx xs fxs Hx H IH]; intros ys G.
  - destruct ys; [constructor | contradiction].
  - destruct ys as [|y ys]; [contradiction|]. destruct G as [G1 G2]. constructor; auto.
    apply layer_in_ with g fx (fx :: fxs); auto.
Qed.

Lemma block_in these gs : Forall2 (fun l g => layer_in l g) these gs -> forall xs fxs y,
  Forall2 all_in xs fxs -> block_gives F running gs fxs y -> all_in (block_balls net these xs) y.
Proof.
  induction 1 as [|l g these gs Hl H IH]; intros xs fxs y Hxs G.
  - simpl in *. subst y. constructor.
  - destruct H as [|l' g' these gs Hl' H].
    + destruct Hxs as [|x fx xs fxs Hx Hxs].
      * destruct G as (after & _ & ->). constructor.
      * apply layer_in_ with g fx (fx :: fxs); auto.
    + destruct G as (after & Ga & Gb). apply IH with after; auto.
      now apply everywhere_in with g fxs.
Qed.

Lemma layers_in : Forall2 (fun l g => layer_in l g) (layers net) (layers running).
Proof.
  unfold net, running. simpl. induction (layers exact) as [|l ls IH]; constructor; auto.
  split; [|split; [apply rows_in | split; apply converted_linear]].
  simpl. induction (heads l); constructor; auto.
  repeat split; try apply rows_in. apply weights_in.
Qed.

Lemma vector_in x y : vector_gives F running x y -> all_in (vector_balls net x) y.
Proof.
  destruct x as [|a|bits]; simpl.
  - intros ->. apply raised_in, weights_in.
  - intros ->. apply raised_in, rows_nth.
  - apply recall_in.
Qed.

Lemma compose_one chunk known bits : compose_balls net chunk = Some known ->
  compose_gives F running chunk bits -> bits = known.
Proof.
  intros Hk (vectors & y & Gv & Gb & Gc). eapply code_sound; [|exact Hk | exact Gc].
  eapply block_in; [apply layers_in | | exact Gb]. apply related_rev.
  clear - Gv room few W_ball_contains. induction Gv; constructor; auto. now apply vector_in.
Qed.

Lemma node_class_one x c found : node_class_balls net x = Some c ->
  node_class_gives F running x found -> found = Some c.
Proof.
  intros Hc (y & Gy & Gc). eapply class_sound; [|exact Hc | exact Gc]. now apply vector_in.
Qed.

End TreeSound.

Section RecurrentSound.

Variable exact : recurrent_network.
Let net := convert_recurrent W_ball exact.
Let running := convert_recurrent (number F) exact.

Lemma first_one known bits : first_balls net = Some known -> first_gives F running bits ->
  bits = known.
Proof. intros Hk Hb. eapply code_sound; [apply raised_in, weights_in | exact Hk | exact Hb]. Qed.

Lemma step_one before a known bits : step_balls net before a = Some known ->
  step_gives F running before a bits -> bits = known.
Proof.
  intros Hk (x & moved & y & Gx & Gm & Gy & Gc). eapply code_sound; [|exact Hk | exact Gc].
  apply rectified_in. eapply added_in; [apply raised_in, rows_nth | | exact Gy].
  eapply affine_in; [apply converted_linear | | exact Gm]. now apply recall_in.
Qed.

Lemma code_class_one bits c found : code_class_balls net bits = Some c ->
  code_class_gives F running bits found -> found = Some c.
Proof.
  intros Hc (x & Gx & Gc). eapply class_sound; [|exact Hc | exact Gc]. now apply recall_in.
Qed.

End RecurrentSound.

End Networks.

(** * The theorems *)

(** The places of all weights. *)
Definition most_places (rows : list coordinates) : Z :=
  fold_left (fun most row =>
    fold_left (fun most q => Z.max most (Z.log2 (Zpos (Qden q)))) row most) rows 0%Z.

Definition linear_rows (f : linear) : list coordinates := bias f :: weight f.

Definition memory_rows (m : memory) : list coordinates :=
  [on m; off m] :: linear_rows (written m) ++ linear_rows (recalled m).

Definition layer_rows (l : layer) : list coordinates :=
  flat_map (fun h => offset_bias h :: query h ++ key h ++ value h) (heads l)
  ++ output l ++ linear_rows (expand l) ++ linear_rows (contract l).

Definition tree_rows (net : tree_network) : list coordinates :=
  [query_scale net; share net] :: pad net :: symbols net ++ flat_map layer_rows (layers net)
  ++ memory_rows (node_memory net) ++ linear_rows (answer net).

Definition recurrent_rows (net : recurrent_network) : list coordinates :=
  first_vector net :: symbol_rows net ++ linear_rows (recurrent net)
  ++ memory_rows (cell_memory net) ++ linear_rows (read_out net).

(** Numbers keep 16 places more than the format has digits, and not fewer than the weights. *)
Definition kept_places (F : format) (weights : Z) : Z := Z.max (precision F + 16) weights.

Definition fits (F : format) (weights : Z) : bool :=
  has_room F (kept_places F weights) && (0 <=? weights)%Z.

Lemma fits_spec F weights : fits F weights = true ->
  has_room F (kept_places F weights) = true /\ (0 <= weights <= kept_places F weights)%Z.
Proof.
  unfold fits. rewrite andb_true_iff, Z.leb_le. intros [H1 H2]. split; auto. unfold kept_places. lia.
Qed.

(** Whether a network, with its numbers in the format, gives a table in any order of additions. *)
Definition check_float_weights (F : format) (net : tree_network) (num_symbols : N)
  (codes : list code) (T : tree) : bool :=
  let W := most_places (tree_rows net) in
  let K := kept_places F W in
  let balls := convert_tree (weight_ball F W) net in
  fits F W
  && check_tables (places net) (compose_balls F K W balls) (node_class_balls F K W balls)
       num_symbols codes T.

Definition check_float_recurrent_weights (F : format) (net : recurrent_network) (num_symbols : N)
  (codes : list code) (R : recurrence) : bool :=
  let W := most_places (recurrent_rows net) in
  let K := kept_places F W in
  let balls := convert_recurrent (weight_ball F W) net in
  fits F W
  && check_steps (first_balls F K W balls) (step_balls F K W balls) (code_class_balls F K W balls)
       num_symbols codes R.

(** Whatever order a network adds in, it answers as its table does. *)
Theorem float_network_as_table (F : format) (net : tree_network) (codes : list code) (T : tree)
  (L : language) :
  check_float_weights F net (num_symbols L) codes T = true ->
  forall w : word, is_word L w -> forall c, tree_class T w = Some c ->
  forall found, float_network_may_answer F net w found -> found = Some c.
Proof.
  unfold check_float_weights. cbv zeta. rewrite andb_true_iff. intros [Hfits H] w Hw c Hc found.
  apply fits_spec in Hfits. destruct Hfits as [room few].
  pose proof (fun q => weight_contains F _ room _ q few) as exact_weights.
  unfold float_network_may_answer. cbv zeta.
  change (places (convert_tree (number F) net)) with (places net).
  eapply answers_as_table; try eassumption.
  - exact (compose_one F _ _ room few _ exact_weights net).
  - exact (node_class_one F _ _ room few _ exact_weights net).
Qed.

Theorem float_recurrence_as_table (F : format) (net : recurrent_network) (codes : list code)
  (R : recurrence) (L : language) :
  check_float_recurrent_weights F net (num_symbols L) codes R = true ->
  forall w : word, is_word L w -> forall c, recurrence_class R w = Some c ->
  forall found, float_recurrence_may_answer F net w found -> found = Some c.
Proof.
  unfold check_float_recurrent_weights. cbv zeta. rewrite andb_true_iff.
  intros [Hfits H] w Hw c Hc found. apply fits_spec in Hfits. destruct Hfits as [room few].
  pose proof (fun q => weight_contains F _ room _ q few) as exact_weights.
  unfold float_recurrence_may_answer. cbv zeta.
  eapply answers_as_steps; try eassumption.
  - exact (first_one F _ _ room few _ exact_weights net).
  - exact (step_one F _ _ room few _ exact_weights net).
  - exact (code_class_one F _ _ room few _ exact_weights net).
Qed.

Print Assumptions float_network_as_table.
Print Assumptions float_recurrence_as_table.
