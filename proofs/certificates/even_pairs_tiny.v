(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: even-pairs
   model: 29fda928eda05aecc8bda7ac90a39536e999caf5713c0abbe7a9e4f21a6897e9
   verified content: 7a908b15787afa229840e5563c946f1674cbec97bc8b5d50a6f6ecda0faeefda

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
     "13";
     "42";
     "13";
     "42"])
    (numbers 1 "00011");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "13";
     "42";
     "13";
     "42"])
    (numbers 1 "00011").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "24";
     "53";
     "24";
     "53"]);
  code_class := classes_of (numbers 1 "11122")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 5;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "0011223344");
  hopeful := vector (numbers 1 "11111")
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
  first_vector := fractions 5 2 "PAOOP5";
  symbol_rows := rows_of 6 2 ["M>P;RJ";
     "RGQIN7"];
  recurrent := {| weight := rows_of 6 2 ["NHP?P5";
     "QhPbQ_";
     "O8OcNN"];
     bias := fractions 6 2 "PWP<Oi" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["NIOUPo";
     "P2P?Nb";
     "P1PCP^";
     "PcOPOA";
     "N_PPO^";
     "OPN8OR";
     "OoO^OE"];
     bias := fractions 6 2 "O9NgN[NMOZOgQA" |};
    recalled := {| weight := rows_of 6 2 ["ODQ:O[NgPcOEOg";
     "Q4P\P=O7OmO1NI";
     "NnPjOgNGPkQ;Q7"];
     bias := fractions 6 2 "OGP`PK" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["P<NaOf";
     "QDQeNC"];
     bias := fractions 6 2 "OKPU" |}
|}.

Definition codes : list code :=
  map (bits 7) (numbers 2 "0305090`1@").

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
