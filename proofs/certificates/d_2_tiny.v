(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-2
   model: a63fa453de68c8f52691b7e205ec6a11262fab1508ff40a1a8f265855ee3b4a1
   verified content: b309c4ab7cbafa80e8f2c6ce8bc87e2c88f03cc800c5b57c2587368d4628ed35

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
     "30";
     "22";
     "21"])
    (numbers 1 "1000").

Definition the_matched :=
  triples (numbers 1 "000101202303").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "41";
     "33";
     "32"]);
  code_class := classes_of (numbers 1 "2111")
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
  first_vector := fractions 4 1 "=L9";
  symbol_rows := rows_of 6 2 ["NnQILm";
     "RkN=Q>"];
  recurrent := {| weight := rows_of 6 2 ["MkPmO=";
     "O_OXNQ";
     "O9N\P]"];
     bias := fractions 6 2 "PTOeP0" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["N7QAQK";
     "PmPCN>";
     "OcN3RJ";
     "R6Q>Q=";
     "MSN[OL"];
     bias := fractions 5 2 "N]NBP>NdQH" |};
    recalled := {| weight := rows_of 6 2 ["NEOHRcOLP@";
     "NKOoNdO^RN";
     "OgN4OMO2Pk"];
     bias := fractions 6 1 "=g4" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["OKOVN@";
     "OKQgPm"];
     bias := fractions 6 1 "e;" |}
|}.

Definition codes : list code :=
  map (bits 5) (numbers 1 "16:B").

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
