(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-6
   model: 7b3cdfa01ba909e333e9728c09cb85188c62e97d5be4dc251d98a3b78f8fe92f
   verified content: dcdc653c31f656f7500b5d485a0e08a6583df5e5a41816f3353cf6f6a9654be2

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
     "20";
     "01"])
    (numbers 1 "100");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "20";
     "01"])
    (numbers 1 "100").

Definition the_matched :=
  triples (numbers 1 "000101202").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "31";
     "12"]);
  code_class := classes_of (numbers 1 "211")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 3;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "001122");
  hopeful := vector (numbers 1 "111")
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
  first_vector := fractions 6 2 "OBO]MY";
  symbol_rows := rows_of 6 2 ["NXQAQ:";
     "RLNSNV"];
  recurrent := {| weight := rows_of 6 2 ["O=P=OS";
     "PEO=PZ";
     "OjO4P8"];
     bias := fractions 6 1 "JCG" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["Q;PSQ6";
     "OCLcRJ";
     "QZOTQ>";
     "MmP_N6"];
     bias := fractions 6 2 "LaPdP@OL" |};
    recalled := {| weight := rows_of 6 2 ["PLP_RjNE";
     "QANUOeP5";
     "QJQkQ2Nf"];
     bias := fractions 4 1 "MPN" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["QFPMQ=";
     "OLP1O]"];
     bias := fractions 6 1 "9g" |}
|}.

Definition codes : list code :=
  map (bits 4) (numbers 1 "16:").

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
