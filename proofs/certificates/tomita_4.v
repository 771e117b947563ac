(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-4
   model: 6ca5e708942572ea0d94eae619badbd35495b51559cf714974eee4db0cc24dc4
   verified content: ea56e6f51ed9f69199eb207b083782a741330903bb2b4f5a74fe0c6169e22460

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
    (map (numbers 1) ["10";
     "20";
     "30";
     "33"])
    (numbers 1 "1110");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["10";
     "20";
     "30";
     "33"])
    (numbers 1 "1110").

Definition the_matched :=
  triples (numbers 1 "000101202303").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["063";
     "153";
     "242"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0033686386:8";
     "20224;42;4:;";
     "3033686386:8";
     "40224:4:;::;";
     "507:9::::::5";
     "60336:6:8::8";
     "7077959759:5";
     "803:6::::::8";
     "90779:9:5::5";
     ":0::::::::::";
     ";02:4::::::;"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "022222") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "02222222212") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["0003";
     "1233";
     "0033";
     "1113";
     "2333";
     "0333";
     "1133";
     "1333";
     "2223";
     "2233";
     "3333"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1120"));
  begun := pairs (numbers 1 "1120");
  good := 15;
  steps := vector (numbers 1 "3598")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "20324354"));
  begun := pairs (numbers 1 "2030415261");
  good := 15;
  steps := vector (numbers 1 "7;;8")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "20324366758997::;8"));
  begun := pairs (numbers 1 "20304161708291:3;2");
  good := 15;
  steps := vector (numbers 1 "???8")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "2032435466758997::;8"));
  begun := pairs (numbers 1 "2030415261708291:3;2");
  good := 15;
  steps := vector (numbers 1 "???8")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 4;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1; level_2; level_3];
  back_to := 3
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
