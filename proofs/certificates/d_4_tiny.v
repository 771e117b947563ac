(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-4
   model: b6e8465ce4ff1d896188b09b8ae130c17082b514f22405066afb7438507f5886
   verified content: 872e0879d6a38442c7ed126510044ee3a852d7939d783ea391b8f9be01c8a3e7

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
    (map (numbers 1) ["12";
     "30";
     "22";
     "41";
     "53";
     "24"])
    (numbers 1 "100000");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "30";
     "22";
     "41";
     "53";
     "24"])
    (numbers 1 "100000").

Definition the_matched :=
  triples (numbers 1 "000101202303404505").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "41";
     "33";
     "52";
     "64";
     "35"]);
  code_class := classes_of (numbers 1 "211111")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 6;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "001122334455");
  hopeful := vector (numbers 1 "111111")
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
  first_vector := fractions 6 2 "Q5OYOj";
  symbol_rows := rows_of 6 2 ["RSRXR2";
     "O`M`OB"];
  recurrent := {| weight := rows_of 6 2 ["MLOGOg";
     "O^MkPk";
     "OdPjRY"];
     bias := fractions 6 2 "P]OgPo" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["O?QKOA";
     "P2OSPE";
     "OiPkM7";
     "N2Q^Q1";
     "OiM>Pb";
     "OPR1QV";
     "PHNJNR"];
     bias := fractions 6 2 "NkMnNZOHM`OSPY" |};
    recalled := {| weight := rows_of 6 2 ["NnO3OCOTO5N[PI";
     "P<MZQfNTO<O2Q;";
     "R0OCOiR3M\Q3OV"];
     bias := fractions 6 2 "OIPNPH" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["N=MhQ2";
     "QAQ9O0"];
     bias := fractions 6 1 "9g" |}
|}.

Definition codes : list code :=
  map (bits 7) (numbers 2 "01060:0B0R12").

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
