(** A network in floating point always answers: what the theorems say of all answers is about
    some. Each sum may be formed from left to right, for example. *)

From Coq Require Import List NArith Arith Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Rounding.
From Lengthwise Require Import Words Networks Runs Floats FloatNetworks.
Import ListNotations.

Lemma related_all {A B} (related : A -> B -> Prop) xs :
  (forall x, exists y, related x y) -> exists ys, Forall2 related xs ys.
Proof.
  intros H. induction xs as [|x xs [ys IH]]; [exists []; constructor|].
  destruct (H x) as [y Hy]. exists (y :: ys). now constructor.
Qed.

(** Trees and recurrences answer, if each of their steps has some result. *)
Section Steps.

Variables (places : nat) (composes : list node -> list bool -> Prop)
  (classifies : node -> option N -> Prop).
Hypothesis some_code_of : forall chunk, exists code, composes chunk code.
Hypothesis some_class_of : forall x, exists found, classifies x found.

Lemma some_nodes count nodes : exists above, becomes places composes count nodes above.
Proof.
  induction count as [|count [below IH]]; [exists nodes; reflexivity|].
  destruct (related_all (fun chunk x => exists bits,
    composes (repeat Pad (places - length chunk) ++ chunk) bits /\ x = Code bits)
    (chunks places below)) as [above Ha].
  { intros chunk. destruct (some_code_of (repeat Pad (places - length chunk) ++ chunk))
      as [bits Hb]. exists (Code bits), bits. auto. }
  exists above, below. auto.
Qed.

Lemma some_tree_result w : exists found, tree_may_answer places composes classifies w found.
Proof.
  destruct w as [|a w].
  - destruct (some_code_of (repeat Pad places)) as [bits Hb].
    destruct (some_class_of (Code bits)) as [found Hf]. exists found, bits. auto.
  - destruct (some_nodes (depth places (length (a :: w))) (map Symbol (a :: w))) as [nodes Hn].
    destruct nodes as [|root [|other nodes]].
    + exists None, []. auto.
    + destruct (some_class_of root) as [found Hf]. exists found, [root]. auto.
    + exists None, (root :: other :: nodes). auto.
Qed.

Variables (begins : list bool -> Prop) (follows : list bool -> N -> list bool -> Prop)
  (classes : list bool -> option N -> Prop).
Hypothesis some_first : exists code, begins code.
Hypothesis some_next : forall before a, exists code, follows before a code.
Hypothesis some_last : forall code, exists found, classes code found.

Lemma some_recurrent_result w : exists found,
  recurrence_may_answer begins follows classes w found.
Proof.
  destruct some_first as [first Hf].
  assert (Last : exists last, reads follows first w last).
  { clear Hf. revert first. induction w as [|a w IH]; intros first; [exists first; reflexivity|].
    destruct (some_next first a) as [after Ha]. destruct (IH after) as [last Hl].
    exists last, after. auto. }
  destruct Last as [last Hl]. destruct (some_last last) as [found Hc]. exists found, first, last. auto.
Qed.

End Steps.

Section Runs.

Variable F : format.

Lemma some_sum terms : exists z, sums F terms z.
Proof. eexists. apply Rounding.left_to_right_adds. Qed.

Lemma some_row row x more : exists z, row_gives F row x more z.
Proof. apply some_sum. Qed.

Lemma some_plus a b : exists z, plus_gives F a b z.
Proof.
  eexists. exists a, b. eexists. split; [now left|]. split; [now left|].
  split; [apply Rounding.plus_rounds | now left].
Qed.

Lemma some_applied rows x : exists y, applied F rows x y.
Proof. apply related_all. intros row. apply some_row. Qed.

Lemma some_affine f x : exists y, affine_gives F f x y.
Proof. apply related_all. intros [row a]. apply some_row. Qed.

Lemma some_added x y : exists z, added F x y z.
Proof. apply related_all. intros [a b]. apply some_plus. Qed.

Lemma some_code m x : exists code, code_gives F m x code.
Proof. destruct (some_affine (written m) x) as [y Hy]. eexists. exists y. eauto. Qed.

Lemma some_recall m code : exists x, recall_gives F m code x.
Proof. apply some_affine. Qed.

Lemma some_class f x : exists found, class_gives F f x found.
Proof. destruct (some_affine f x) as [y Hy]. eexists. exists y. eauto. Qed.

Section Tree.

Variable net : tree_network_of (float F).

Lemma some_place h q place : exists found, place_gives F net h q place found.
Proof.
  destruct (some_applied (key h) (fst place)) as [k Hk].
  destruct (some_row k q [snd place]) as [logit Hlogit].
  destruct (some_sum [Product (share net) (rectified F logit)]) as [w Hw].
  destruct (some_applied (value h) (fst place)) as [v Hv].
  exists (w, v), k, logit. auto.
Qed.

Lemma some_gather h x seen : exists y, gather_gives F net h x seen y.
Proof.
  destruct (related_all (fun a z => sums F [Product (query_scale net) a] z) x) as [scaled Hs].
  { intros a. apply some_sum. }
  destruct (some_applied (query h) scaled) as [q Hq].
  destruct (related_all (place_gives F net h q) (combine seen (offset_bias h))) as [found Hf].
  { apply some_place. }
  destruct (related_all (fun i z => row_gives F (map fst found)
    (map (fun place => nth i (snd place) (zero F)) found) [] z) (seq 0 (length (value h))))
    as [y Hy].
  { intros i. apply some_row. }
  exists y, scaled, q, found. auto.
Qed.

Lemma some_layer l x seen : exists y, layer_gives F net l x seen y.
Proof.
  destruct (related_all (fun one z => gather_gives F net one x seen z) (heads l)) as [gathered Hg].
  { intros h. apply some_gather. }
  destruct (some_applied (output l) (concat gathered)) as [attended Ha].
  destruct (some_added x attended) as [h Hh].
  destruct (some_affine (expand l) h) as [hidden Hi].
  destruct (some_affine (contract l) (map (rectified F) hidden)) as [fed Hf].
  destruct (some_added h fed) as [y Hy].
  exists y, gathered, attended, h, hidden, fed. repeat split; assumption.
Qed.

Lemma some_everywhere l reversed : exists after, everywhere_gives F net l reversed after.
Proof.
  induction reversed as [|x before [after IH]]; [exists []; exact I|].
  destruct (some_layer l x (x :: before)) as [y Hy]. exists (y :: after). split; assumption.
Qed.

Lemma some_block these : forall reversed, exists y, block_gives F net these reversed y.
Proof.
  induction these as [|l these IH]; intros reversed; [exists []; reflexivity|].
  assert (Next : exists y after, everywhere_gives F net l reversed after
    /\ block_gives F net these after y).
  { destruct (some_everywhere l reversed) as [after Ha]. destruct (IH after) as [y Hy].
    exists y, after. auto. }
  destruct these as [|l' these].
  - destruct reversed as [|x before]; [exact Next|]. apply some_layer.
  - destruct Next as (y & after & Ha & Hy). exists y, after. auto.
Qed.

Lemma some_vector x : exists y, vector_gives F net x y.
Proof. destruct x as [|a|bits]; [eexists; reflexivity | eexists; reflexivity | apply some_recall]. Qed.

Lemma some_code_of_chunk chunk : exists code, compose_gives F net chunk code.
Proof.
  destruct (related_all (vector_gives F net) chunk some_vector) as [vectors Hv].
  destruct (some_block (layers net) (rev vectors)) as [y Hy].
  destruct (some_code (node_memory net) y) as [code Hc]. exists code, vectors, y. auto.
Qed.

Lemma some_class_of_node x : exists found, node_class_gives F net x found.
Proof.
  destruct (some_vector x) as [y Hy]. destruct (some_class (answer net) y) as [found Hf].
  exists found, y. auto.
Qed.

End Tree.

Section Recurrence.

Variable net : recurrent_network_of (float F).

Lemma some_step before a : exists code, step_gives F net before a code.
Proof.
  destruct (some_recall (cell_memory net) before) as [x Hx].
  destruct (some_affine (recurrent net) x) as [moved Hm].
  destruct (some_added (nth (N.to_nat a) (symbol_rows net) []) moved) as [y Hy].
  destruct (some_code (cell_memory net) (map (rectified F) y)) as [code Hc].
  exists code, x, moved, y. auto.
Qed.

Lemma some_class_of_code code : exists found, code_class_gives F net code found.
Proof.
  destruct (some_recall (cell_memory net) code) as [x Hx].
  destruct (some_class (read_out net) x) as [found Hf]. exists found, x. auto.
Qed.

End Recurrence.

End Runs.

Theorem float_network_answers (F : format) (net : tree_network) (w : word) :
  exists found, float_network_may_answer F net w found.
Proof. apply some_tree_result; [apply some_code_of_chunk | apply some_class_of_node]. Qed.

Theorem float_recurrence_answers (F : format) (net : recurrent_network) (w : word) :
  exists found, float_recurrence_may_answer F net w found.
Proof.
  apply some_recurrent_result; [apply some_code | apply some_step | apply some_class_of_code].
Qed.

Print Assumptions float_network_answers.
Print Assumptions float_recurrence_answers.
