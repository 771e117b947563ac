(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-3
   model: 1a727d351fd7e6bc1a7d6a01de2ada9403d50be765c0aa1f1c166f1d4b076205
   verified content: b669b0120581e761b52d2cd983a72da144d381b97f84eab46ff31e7270251c26

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
    (map (numbers 1) ["01";
     "20";
     "34";
     "21";
     "44"])
    (numbers 1 "11010");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["01";
     "20";
     "34";
     "21";
     "44"])
    (numbers 1 "11010").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["12";
     "31";
     "45";
     "32";
     "55"]);
  code_class := classes_of (numbers 1 "22121")
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
  first_vector := fractions 6 1 "k?i";
  symbol_rows := rows_of 6 2 ["R3OjNd";
     "O4P6Pm"];
  recurrent := {| weight := rows_of 6 2 ["NeP7O7";
     "NbNfPi";
     "PBNMPZ"];
     bias := fractions 6 2 "OMPDPF" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["O:PJP:";
     "OXPhN>";
     "Q:OXN;";
     "PgPPP?";
     "N9NWQ8";
     "OUNfOR";
     "O<OROd"];
     bias := fractions 6 2 "N]OBO9NGO<PYQO" |};
    recalled := {| weight := rows_of 6 2 ["O>OXOiO<ODPlOo";
     "NEOEQIOOP=OiO`";
     "Q8O3PiQUN`P@O9"];
     bias := fractions 4 1 "VIR" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["O;OeQB";
     "PCO<Na"];
     bias := fractions 5 1 "A_" |}
|}.

Definition codes : list code :=
  map (bits 7) (numbers 2 "03050H0Q18").

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
