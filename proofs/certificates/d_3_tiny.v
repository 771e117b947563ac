(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-3
   model: d555c4f628be90a9b42274cf6a35205e5d277987c4ca8d391c93704851c8c5b9
   verified content: 9f9dca1c441c250a976b6b87b2e548060771d9881726869628cfa87961650aa1

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
     "23"])
    (numbers 1 "10000");
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
     "23"])
    (numbers 1 "10000").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "41";
     "33";
     "52";
     "34"]);
  code_class := classes_of (numbers 1 "21111")
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
  first_vector := fractions 6 2 "P3OZO8";
  symbol_rows := rows_of 6 2 ["RgS0QS";
     "NWO@NL"];
  recurrent := {| weight := rows_of 6 2 ["N>ODPY";
     "O8NVQI";
     "P0O8N@"];
     bias := fractions 6 2 "PKPUP=" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["OZOoP`";
     "MSPjOP";
     "POP<Nc";
     "QmMfQI";
     "PmPaQ_";
     "N`N9NP"];
     bias := fractions 6 2 "N1NPMiN^NgQ7" |};
    recalled := {| weight := rows_of 6 2 ["Q2Q_O1R7PjNT";
     "N_OWNmQBNVNi";
     "QDN>QjP8PlOg"];
     bias := fractions 6 2 "OOOWP6" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["Q2P9QW";
     "MoP]O0"];
     bias := fractions 6 1 "OQ" |}
|}.

Definition codes : list code :=
  map (bits 6) (numbers 1 "16:BR").

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
