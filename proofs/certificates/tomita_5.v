(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-5
   model: 56ef1a589b202e5cd9f8bedf31fe2dbbc89c299b213a107c6eec2892dfe4ca3b
   verified content: 6b926b60d6e6577f6bc87237faf6bbc06da3c3a6d433adcc94d4d79a9774b94a

   symbols: 0 is 0, 1 is 1
   classes: 0 is 0, 1 is 1

   It needs the library of lengthwise: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 2;
  answers := automaton_of 0
    (map (numbers 1) ["12";
     "03";
     "30";
     "21"])
    (numbers 1 "1000");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "03";
     "30";
     "21"])
    (numbers 1 "1000").

Definition the_matched :=
  triples (numbers 1 "000101202303").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["045";
     "123";
     "231"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0113666";
     "1113";
     "2113";
     "3331";
     "4666";
     "5666";
     "6606"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "22111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "201001") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["1032";
     "2301";
     "0123";
     "3210"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 15;
  steps := vector (numbers 1 "6996")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "122233"));
  begun := pairs (numbers 1 "1020334152");
  good := 15;
  steps := vector (numbers 1 "9669")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1233"));
  begun := pairs (numbers 1 "10336162");
  good := 15;
  steps := vector (numbers 1 "9669")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 4;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1; level_2];
  back_to := 2
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
