(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-4
   model: 2dede2bf21a3524e8425c5253a6b8ebb8a5fba46ecca8e27cf5f49a335cc5eb5
   verified content: 25739cfac3797557afe10d57118004533f74aa922613a7ecfb339328cd01bc9d

   symbols: 0 is 0, 1 is 1
   classes: 0 is 0, 1 is 1

   It needs the library of lengthwise: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
From Coq Require Import QArith.
From Lengthwise Require Import Networks Fractions Weights.
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

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["21";
     "31";
     "41";
     "44"]);
  code_class := classes_of (numbers 1 "2221")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 4;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "00112233");
  hopeful := vector (numbers 1 "1111")
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrence_class network w = Some (class_of (answers language) w).
Proof.
  apply recurrence_is_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_recurrence network language evidence = true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : recurrent_network := {|
  first_vector := fractions 4 2 "OMOk";
  symbol_rows := rows_of 6 2 ["RLR<";
     "OQNb"];
  recurrent := {| weight := rows_of 5 2 ["OYP9";
     "O7Q2"];
     bias := fractions 6 2 "PaPA" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["OaQK";
     "Q7Mk";
     "PoOM";
     "MIOb";
     "P=NV"];
     bias := fractions 6 2 "MSNRN<RVRQ" |};
    recalled := {| weight := rows_of 6 2 ["NRPHQ3P4Pm";
     "Q6PkNlOCOo"];
     bias := fractions 6 2 "OlPi" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["MIO\";
     "R6OL"];
     bias := fractions 6 2 "OMPS" |}
|}.

Definition codes : list code :=
  map (bits 5) (numbers 1 "359@").

Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrent_network_class weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (recurrent_network_as_table weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true :
    check_recurrent_weights weights (num_symbols language) codes network = true).
Qed.

Print Assumptions network_right_at_every_length.
