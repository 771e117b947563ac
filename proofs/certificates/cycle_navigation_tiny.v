(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: cycle-navigation
   model: e2b7bc94491180dd2475494d85055f47aa2864d1b9c3a64090f75081e886b5f0
   verified content: 87f1fc59d48d9c02ec2434bb0fb4c5eb3c1f0ae8414732786b173e346735233a

   symbols: 0 is 0, 1 is 1, 2 is 2
   classes: 0 is 0, 1 is 1, 2 is 2, 3 is 3, 4 is 4

   It needs the library of lengthwise: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
From Coq Require Import QArith.
From Lengthwise Require Import Networks Fractions Weights.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 3;
  answers := automaton_of 0
    (map (numbers 1) ["012";
     "130";
     "204";
     "341";
     "423"])
    (numbers 1 "01423");
  domain := automaton_of 0
    (map (numbers 1) ["000"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["012";
     "130";
     "204";
     "341";
     "423"])
    (numbers 1 "01423").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["123";
     "241";
     "315";
     "452";
     "534"]);
  code_class := classes_of (numbers 1 "12534")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 5;
  outside_class := 5;
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
  first_vector := fractions 6 2 "NIRlQPQ3";
  symbol_rows := rows_of 6 2 ["K8NCQ2Pa";
     "SCQOI<O3";
     "PVOhT4TY"];
  recurrent := {| weight := rows_of 6 2 ["OCPTR0P\";
     "O;PLQ2NT";
     "R4M[PiO0";
     "S4NAPSOn"];
     bias := fractions 6 2 "OaP9O\QU" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["O7OOMAQA";
     "M\NMNQQ[";
     "PZNYO\N<";
     "R;MNQ`NX";
     "MbRiQZNG"];
     bias := fractions 6 2 "NgL6QVLhM^" |};
    recalled := {| weight := rows_of 6 2 ["ORR4PDQnNM";
     "O;O`R>MhQ\";
     "N=QoN?P?Q>";
     "Q=Q4N]MhP@"];
     bias := fractions 6 1 "QKh;" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["MVQNPjPb";
     "PXMbOONJ";
     "PPO2QKQF";
     "NPN9NaQn";
     "O`QJNXNF"];
     bias := fractions 6 2 "OIMoOAQ4O7" |}
|}.

Definition codes : list code :=
  map (bits 5) (numbers 1 "1248@").

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
