(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-12
   model: 292865aab08fba60e44ac833747cc29489c4e44343f2d3856f3cfd68de8aa1c8
   verified content: 75bb9640bbf806f766b72599cbb3485614763c998effb27657e4177e50c2540c

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
     "64";
     "75";
     "86";
     "97";
     ":8";
     ";9";
     "<:";
     "=;";
     "2<"])
    (numbers 1 "10000000000000");
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
     "64";
     "75";
     "86";
     "97";
     ":8";
     ";9";
     "<:";
     "=;";
     "2<"])
    (numbers 1 "10000000000000").

Definition the_matched :=
  triples (numbers 1 "000101202303404505606707808909:0:;0;<0<=0=").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "41";
     "33";
     "52";
     "64";
     "75";
     "86";
     "97";
     ":8";
     ";9";
     "<:";
     "=;";
     "><";
     "3="]);
  code_class := classes_of (numbers 1 "21111111111111")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 14;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "00112233445566778899::;;<<==");
  hopeful := vector (numbers 1 "11111111111111")
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
  first_vector := fractions 6 2 "S2Q[SZNA";
  symbol_rows := rows_of 6 2 ["MjNOOlIF";
     "T7QLQFRU"];
  recurrent := {| weight := rows_of 6 2 ["M>R:NbO_";
     "NMNdSPQU";
     "PIPeMdT_";
     "OiRTR>Pc"];
     bias := fractions 6 2 "P?PVP_OK" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["Q=N1NhOX";
     "MLQ@N@Qo";
     "O^MJP9Qg";
     "O2P=M5RI";
     "P0P2P8OM";
     "QSNfN8Ni";
     "MgN<P9S6";
     "PBPAKnPm";
     "PPKSOhMQ";
     "P8P>OgNg";
     "QGLNO?Nk";
     "LjPkOnOO";
     "NGOTOASN";
     "NkPjPmRQ";
     "QTNUNVLi"];
     bias := fractions 6 2 "PONQMlR]LKP2P>NFONLXO2M^RHPgOJ" |};
    recalled := {| weight := rows_of 6 2 ["LmMQOUQ<PPQlKYR4M`ObN@PeMSNTR3";
     "O0T=ONOcO?QERDO^MoPcOjN@P8PZNR";
     "SAOfQKMJP6O4QJN_PVMcR=QJM_OgP8";
     "R]OlNnRZN6TcOBO=NcPEP8QaP<QBO`"];
     bias := fractions 6 2 "O>OQP7Pc" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["MNQ:P@QS";
     "Q3N\PiO:"];
     bias := fractions 4 1 "]C" |}
|}.

Definition codes : list code :=
  map (bits 15) (numbers 3 "00100600:00B00R0120220420820@20P2102202402").

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
