(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: parity
   model: 09236488979b155341aa2017e05ad0bbfd1bfb39184016973cc3d78fa003bfe4
   verified content: fe9c72102be0acb87faca7962554a5c8189fc645f85eeac103c7169bbe73a98e

   symbols: 0 is 0, 1 is 1
   classes: 0 is 0, 1 is 1

   It needs the library of lengthwise, and Flocq: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
From Coq Require Import QArith.
From Lengthwise Require Import Networks Fractions Weights.
From Lengthwise Require Import Floats FloatNetworks FloatWeights.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 2;
  answers := automaton_of 0
    (map (numbers 1) ["01";
     "10"])
    (numbers 1 "01");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["01";
     "10"])
    (numbers 1 "01").

Definition the_matched :=
  triples (numbers 1 "000101").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["12";
     "21"]);
  code_class := classes_of (numbers 1 "12")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 2;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "0011");
  hopeful := vector (numbers 1 "11")
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrence_class network w = Some (class_of (answers language) w).
Proof.
  apply recurrence_is_right with evidence.
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : recurrent_network := {|
  first_vector := fractions 6 2 "Q@OeRYOXPaP0OQPkO3MnPbR9PNN_P8PbNnQNOTPNQ?QRO`N\OnO@NiR]POP8PnOVOfO1Q[N<OQO\NTOMRTOGP?OeObP1PWNRPXN@P:O>OfOYOlOFPXNZP9P1OMP6MfOF";
  symbol_rows := rows_of 6 2 ["NhN_OeOYPlP^O]M_PHNYPFPGP8Q<Q6O`NQN=PQPkPVNLOQQdP\OBOeP8QNQTQ8OCOBOnOHP<PUP7PVPQOcPgO]P3PWRANKNJO<PkQ5P9OWORPYOOOPPfQOSMNFNaQbOJ";
     "OHPmQ0Q@NHRUOQPONBOOOQOHNlQ<OgP_P6PbO:OePbOTQ>PDOgRBN8OmNfNmOhPUQ\NYPPPUMCNCObP8PCOkPFPHPCO3PgO5OjMQOaOnQ3PENlP4OEOGQjOOPCQ4PcQL"];
  recurrent := {| weight := rows_of 6 2 ["OeP0OmP8P1P7PCOdOlP4OoObOlOkP1OnP1OmOnP6P6P7OkP3OnOfOdP5OgP6OnP7P;OeOoP3P4P0P:P1P6OnP3OoOjOkP5OhP3OjO`OjP5P5P9P3OkOgP8OoP9OlOcOc";
     "OoP0P<P0OiP>P7P1OgOfP;P8OmOjP;OcPBP4OoOoOoP<OeOmP<P;OoP4P8P8P0P6P6P4OiP0P3P9P7O]P8OcP3P=O`P?PAOkOlOYP4OaP3P8OmP0P8P0P7OcP2P:PBOj";
     "P1OhOkOlP6OfOnP0P1P:P3OmOnOdP<PBOmP7P6P3O^P3OmOhP1P;P2OmOhOlP8OfP3P8P0OiP1OgOoOmOhP7OjP<P=OiP7OkOjOoOmP7P2OfP0OiOeP5OgOfP;OnOnOo";
     "P1OnP4P7P<P7P9OnOgP8P0P6P1O\P:OeP6PQOlP4P6OjOjP9PBOhO[O]P9OiPBOfP4P=P7P8P3P;P6P7P:OnP5OkOjP0OlP3P3P6P5P=P5OnP1P7OoOiOnOeP2P3P1On";
     "P9P0PCP2OkOjP;P0P3PMP@OjOcP4P<ObP3P8OhOWPDOlP:OnPEOjP6P5P2P7PJPEP9OoO^P8P5OnP?ObP1OiP<PGP1P4P?OlPGP1P1P0P3P<OeP3P;OhP6OaP;P6PCOe";
     "OiOnPCOfPGOkP1P>OlOlP:P=P1P;OlP7P7OeOfP5P8OnP3OnOgP7OfOnP4OiP@OWOnOkOhOaP2P9PBO^P6P1P2OnOePBOiP6P3OkOgOkOnOnOhP7P4P1ObOXP6OdP=O_";
     "OlOkOkP8P2P0P>OjOjP5OfP9P:P:OlP7OjP3OcO]P0OmOmOoP7P6PKObP4OoP3P9P;P7OlOfOjO]P1OnP0P@OoP3P4P@OkOoOoP0P6P3OmP;OiP7OoOkOmOcP4PBP2Ok";
     "P1OhO^O_P?OjOePCP:OiO`OcP4OfOiP<OjP0P@PEOgOeP:OeP9PLP2OfP;P<ObP;OhP0P@OdP7OnO_PKObP5OdP6PJOgO`OiOdP4P1P2P7P0PCP6OaP7OgP>OjOjPCOm";
     "P7OeOoOjP9P9P2P0P6P4ObP<P0P@P0PDOcPGOmP<OhP4PCOjP0OoP0OfP9OiP4OoP5P9OgO]P2P2O`P:OjP@P1P3OkOfP4P1P5P;OjOnP1OcP<P1ObP;OkP1P=OZP6P1";
     "P4P:P=OdOiOhP7P3OoP4P1P<OmOgOkOkP9OoOgP2OmOgP:P5O_P3P7OnP3OoPAP0P2P2P3P1OkOmP@OgOjOnOhP4OnP9P<P2OdP3P8P8OkP=OiP3OkO^P1OjOkP?P3Ok";
     "P4P2P<P3P=P5ObOkP0P7P0P0P5OcOkOoP6OlOmP0P4P6OhOfOoOkP7P1P9P9P5P6OeOjOnOnOjP;OXOoOiOnPAP4OiP@ObOkOjOaOgOkO]OiP6OjP3P9P0P<O^OoOcP4";
     "OfP5OfOlP4OhOhP;P<OjOjObOkP4OgOnO`OmP;PDOlP4OhOhOmP:OfP4OgOjOdOmPBP0OnOlP4P:OmOnOiP4OlOiP1OiP4OkOgP9P0PFOlP2P2OoOgP5P4OoO`O_P<P3";
     "P2OhP9OkO_P3P1OiOnP4P8P;P6PHO\ObP0P;PBP4P1P4OkP8OeP0P5OeOmP1OdP7P8P:PAP1OoP7OjOdObP6O\P0OoP=PBOhP6P7P1P0OeP1OmOiP4P5OnOnOkP7OkOo";
     "OmP6OhOoOnP7P6OiOjOhObP0OnOhPBOlOgP9OmOaOoP1OdP6OkPAP2P4P8P1P0OnOhP3O^P8OhP3P8P1P6P2P2P6P4OlP:P9P9OfP3OhP1P5P0OmP0OoP:OeOfP7P9O`";
     "OeP1OmOgP4OgPAP2P0P3P3OgP3P<P;OdP7P6OhOmP7P9P<OfOoO\P6P7ObOjP5P5OmP3O]P9OlP>OiOYPCP9P8OoOiOeOiP9OmP1OeOnOnP7OkOdOeP2OXOnP1OlO]P1";
     "ObP:OnOgOeOiP:P0OjP6P5P0OmP>P1OeP3OeOoOnOjP;P1P4OoO`P6P5OfP<OmP6P2OmOnP7OiP=P2OkOmOmP8OaOjP3P9P:P5P4O_OkOkP@OmP1OlOlO`OkOlP;OfOl";
     "P6OhP5P0OkP=OmOcOkP6PBP1OhP=OkOlP0OmOgP5P0OmP7P:OnP2P3P>P5P;OoP1P4OnOdP6P<OmP4OcOoOkP1PAO[P6OhP?OdP5OnP1OhP;P4PHP7P>PFOnOnP8P4Ol";
     "OaP4OlP3P<P0OoP=P:OeP1ObOdP9OjP7OoOlP3P7OjP:P<OlOoOgOcP2P7OoP3P0P7P>P=PEP8OmP4P@O]P8O`O_P9OgOfP3P8P9OdObPFOgP7P8OkPEP6PMOcOXOeOg";
     "OjP8P6P9OmOmP6P=P2P:OiOcP9P7P8P8P7OkOoP0P4OiP;OdObOgPDP6OoP0OkP<OhOkOfP<OmP5OaOoP1P2P8P7OoOiP8P<P1OmOhOlP5OhOhP4OhP9OhOmP=OiOlOl";
     "P2P<O]P7P2OfOlO^OoP2P5OkP:PFOkOdP9P=P4P6P8OfObOjP4O`P7OhOmP7OkOmP8P<OiOoP5P5OeP:OjP0P1P5PIOhP2OnOcP=P<OmOhOgP7OjOjPDP2OmOeOmOaP:";
     "P0P9OoOmOdPBOiOkOhP4P>OhOlP?PFP=OmOiP6OnOfP6P0P=OlP6PCP@OnOmOnP3OfP<P9P6P1OnOmP=OmP4OnOkOmP6OmOnOmP;OnOnP:OhOeOkP0P7OfOgOkP4OkP2";
     "PKP@OmP4P0P8OoOoOjOdP2P0OmOoOaP9OeP7P<OaP>P5OkOmP8P1OnP4OfP5OiP@P4P5OiP@OgObOhOmP9OoP8P0P2P2P5P;OdOgP5OgP:O`OkOoP7P:OjP0OlP2OnP5";
     "OkP8ObP5P4OmOlOcP5OhOnP8PGOjP;OdO[OhOoP<P0OoOnP2ObOjP7OoOlP2P3P0OnP7OoOmOaOjP3P0OjP=OnOmP5OkP3OgOkOiP4OeP=OgP1OkP:P3P1P1P7P1OdP<";
     "OmOgO^OmP6OjP4OjP9OjOoOiP9OlP8OmP5OlP<OmOhP4OlO]OaOdOoOkO`OmOkP8P5P<P9P9P6OaOhP5OZP;P4OiOlOgP@OeOiP5OkOfP5OkOfP2OhP>O`OoOhP2OcOd";
     "P4O`P2O]P8OnPBOmP3P0OoPAOkP;P6P7P7P1OmOiP6P2P3P@P5O_OlOoOkP8P3P1P0P<OjP4OjP0P@OdP@P5P2P;P2P5OiOoP8OjOiOdO^OlP>P2P1OoP;OkPAOmOlOo";
     "OkOkPDOnP0PJOmO^O]P5P5OaP1OnP9OgP@P6O\ObP:P2OcP=OoP6P8P6P9P=P@OjP7OfOgOkOkP5P3P9P5P1P?P=P3P4P@P0P;OgOkP6P<P<O\P5P5OmP6OnP=P0P0Ob";
     "OaObP8OjP9OoP4OkOhP0P9OkP:OcP;P8P5ObOnP:OgOaOfOjOlOfOlP8P:OlOlP<P0OiOhP=P2P=OnP1P1P3OgP=OnOlP0OoP6OnOlOmP0OlP9P2P0P7OhP:OkP1OgOe";
     "OkP5OjOiOlOmPIO]P>PAP2O]OgO_OiP<P:P8P0P2OlP7OiP7OjP0P?P4OeP6OfP9P2OhOiP4OiOnP3OeP8P0OjOXOXOmP5P4P<OmOiP5OkOjOjOoOmP2OeOlP3OhOdOj";
     "OlOfP@P<OaP2P<OcOiOlP4P:OjO`OiOgOlOoOfP0P:P3OjOlP:OgOmOmP3P=P6OoPIOcOmP1OmOnP<OhP3OkP7P1P7P?P9PEP3OnP2OoP5P9OgOnP3OhP3P1P@P:OlOe";
     "P6OgP9P1O^O^P7OoO]P6PCOmOhP0P5OdP7P;OoOiP@P0P1OiP?OlP<OeP>P0OoP0P0O[OlOoOoP6P2OoP1OhP3P9OkP4P<P6P1O_P5P9OjP3P2OmP=OiOhOhOlP4ObP2";
     "P:P3P8OgOhOnOmOiOiOjP5OiOdOfP1OeP=P?OmOnP0OmOjP0P<O_OkP3P2P;OnP?P6OjOnP;P<P3OoObP;P0P3P=OhP:P5PAP7P5P0OiOlP8OgOoOjOfP2P=P4OkOoP1";
     "OjOfP8OeOjOmPAP7OnOZP6P5P5OgOdOdPAP6P3P3P5P8P8P3OjP5OiObP6P2P5P7P4OdOeP2P3P5OoOaOmOiOeP8OkP3P>P@O]P0P8P3P0OmOjP4P9OdP8P7P3OoP9Oc";
     "OkP;OcOnP4OjOdOmPBOnOnOgOfP8P?P4OkOoPCOlOnP6P7OkOdP2OlOiOnOlOiP2P0P1P<P7P9P2OVOnOdP<P;OoOlOjP7P4OjP4P=P1PIOhP6OgO`P<OmP3OeOfOkOn";
     "OcP6OiP9P:P?OeOcP5P8P5OkOiOkP6P4OmP2OoP2OcP5P:P3O^OoP1OcP0P1OaOjOhOjOkOgOfP8P8P0OaP8P8OoOnOoP6OaOoP1P2P6P0P6OhOoOiOlObP6P:OoP6Ol";
     "OnP6OdP6OkOgOhOaP4P0ObP1OgP9P:P:OfO`OiP4OjP9OgOfOkO^OcP;OmP1OjObOdPIOmP2P3P2OcOeOlOnOkOnOlP1OmO^OeP2P5P8P;O`OnO_P4P7OhP8P7OjP8P1";
     "O[P<OoP5PFP2OiOfOlP7P2OfOdOlP9P?P9P0OkOnP3P3OoP8P2OeP:P4OlO`P5P8P8OkP7PBOdP0OkP7P@P7P8OlP3P6OnOnP3OjOoP0OjOiOlObOfP;OnP@OiOlOlOm";
     "P0OgOQP2PEOoOcP1P1O]OnPEPFOgOmP<OkP0PCOoObOaP?OgP8P9OfObP1OjO_OmP6P1P=OjP:OhP5P7OkP<O_P<P7P9OkOdOiP0P=P3P8OjPCOnOmP8P9P2OeOgP<P<";
     "OmP7OlP;P6P2OlOhP=PCOmOjP;ObP2OcObOkP3P3OoP3P6P4P:OfP2P7OeP0OgP4P0OiOdP3P9P<P;OoP9OgP1P4P5P4P?P4P3OmP:P9P6OgOgOiP4P0OnOeP0P5P0P;";
     "P0P3OiOjP0P7OnOdOjP6OfOoOeOhOnOmP0P4P=P1P1P<OnOgP1OcP1OkOoOdOhOnP5OnOnP@OVOdOjP5P1P5P2P3P6OoOiP;OkP2P2P7OnOiOnOlP7OoOlOiP3OkOlOj";
     "P6P0OaP4P0P8OhOnP4P1P6OmP6OkP0P7P2OgP2P0P7PBOjOeOgOiOhOjOkP5OdP3OgP5OdOdOjOjOcOiOlOoOoP;P1OaOfP2P<P0OnP9P>OcP8O^P2P?P2OlOoOmOoP2";
     "P;P3OhP2P3OdOeP8OlP6OYOgOkOoOeP9P1OlP;PAOmP=OoP1P1OhP2P0P?P6P5P3P4P=OoPBP:OgP1P7P0O`P6P0OoOmP6P2OnP1ObOhP0OmOkOoOjP4P=P@OcOlOkP4";
     "OgP>OjPFP2OdOlP:OkP5OkP;OnP:OkP4P3OnP1OoOnP;OkOiOcOdP1OhOkOhOmObP4P:P6PCOnP2P2P4OmP8P6OeP7O`OeP8OiP3ObOiOoP4OeOfOiP5OmP0P2OgOoP7";
     "P2OoP0OiOjP0OjOdOoP4P:P5P2P>P6P1OjPAP>OfOkP0P9P4OeP;P7P0P7P;P2OiOmP3OoP8OlP0OmOfOgP5OiOhOoOfP9OiP;OkOdP2OiOkOoP4P2OmP8P1P0P3OkP3";
     "P1P@OhP8OgP9OiP7OkP:OkO`P2OUP4OeOiOfOcP3O]OoO^P?OeOnOkP?OhP=OhP=P2OmP<P3OhP>P0P9ObP3P0P9P0PAP8P1PAOnOmOhP6OoOfOhOhOgOaOnP=OjOhOk";
     "P1P5PEP7OhP0OnP1OdP4OnOfOlP;OnP4P8OmP2OmP?OcOfP3ObOjOiP0P5OoP?P=PDOgObP7OmP?P6OkP5OhP3P>O]OoOlP5OlOgOnP0P0P:OfOnP;OoP<OiOdP6P2Oi";
     "PHOhP4P8OdP1P8OeOhP8OhP1OdOfP3P9P:OnOlOgP<P:OfP9OhP3PFOlP@P;OkP?P8OmO]OkOlP6PGO_P@OoP5P0OiP2OoOnP?OiP7OlOcP5OfP0PAOXOjP2OjP3OgOa";
     "ObOmP5P2O]P5P1OiO]O^P2OmP0OkOiOoP7OeOgP8PEOkOjOkP8OcP8OdP9P<P5P1P2ObOgP2OhOdP<OgPHOhP0PBOmP>P4P;PLOdP8OjO[P<OaP8P7OgP3OgP1P7OkOh";
     "OlP9P2P;P6PIO^OiP;P2P8OoP2P4P4OeP0OnOnOlOcOoOnOoP0P1P9OjP9OeOnP2OmOcOnP9OfP0P6OmOmOkOkP1OnOkP<OmP7P<OnP7OlOjOeP1OjObOhOiP5OkOnP1";
     "OjP2P9P3P1OnP1OkOiOjP0OnP0P9P;OlP=P3OeOfP7P2OgOiP4P9OgOeP0OdOcP4OcOnOmP4OlP@P:P2P2P6OgOkOeP3P>OlOlP<P6OfOlP1P2P7P6P0P=OoOlP5P:P8";
     "ObP8P0P1P4OcOlOjP=P1OnP7P6OhP3P4OmP7P8PHOhOjP?OnOkPGOiOkP3OkP1OgOjP;P4O]P<P6OiP:OkP1OoOmP1OjP0OlP6PFP6P7OnOcP6P3OeP:OjP3OhP3OfP4";
     "OiP:OaP:P@P0OiP6P0P:OgP8OkP6P4P9OjObP5OoOfOoOgOhOjOaOkOiOjOgOlOgOfP0P8P<OeP9OaP2OhP<OnOjP;P1OmOmOmOiOkOeP3P8P1OaP1OaOcP7O]OdP8P<";
     "OkP=P;P:OhP4OeP>P1P3P:OnP1OgP6OmP1P2PEOgOjP3OiP:OfP8P6OgP6PDOkP;OcP:OkP2P5P:P1PHP>OnP4O\OiP6P3OoP4PCP1P4OoOcOiOkP<OjP4P3P8OfOdOk";
     "OoP4P3P5OnP0P:OjP0P9P;P3OmOjP8OlP;OmOkP2P8P8P6PHOjP3OmP4OjP5P2P;P7OkOnOjOnOmOmP3P2OgP<P5ObP6P:P:P2OoOhO]P2OiOmOfP4P=P2OiP7P1OlOe";
     "OXP8P2P9OiP3OjP>OeP?P7P0P3OhP3OoP5P2OjOjOoOeP0OmP0ObP5P1OiObOgP2OiP6OmP;OgP4OoOnP1OoP7OjOXOoP1P4P9P0P2OeP4PIOjOlP3OnOjOdP6OjP0P0";
     "OmOnOhP1P=OiP4P3OnP0OgP0P;OmP;P8P0OhP0P6OaOjOoOcOoP2P3PAObP9P=P0OnP;OkOnP7OeOgP1OiPDP=PAP2OjOkP0OaOiP2P2P5P3OoOoP5P;P7OlOlP6OjP6";
     "P6O]P0P3OnOgP1P5OmP1OfOmPCOnP6OoOiOnP;OdOkP1P=OiOnO_P9P:OiOgOhP5OfOkOjP7O`OiP8PAOhP3P2P0OiP1P6OlP7OmOnP1P:P2OkP4OiP9OnP0P3OkP2P1";
     "P:P5P4P7P3PAP1OnOjP3OiP8OoP=P6OeOhOiP7O^P3OnOiP1OmOdOcP=OfP1OdOiOnOnOfP0OdOoOgO`P9OfP>OiObP2OjP4P:P8OoOdP:P8P1OcOoP5P8P5P:P7OfOk";
     "P1P3OdP6P8P:P5P:P5P9P0P4OoOgOmPIObOjP7P9P2P4P1P6P9O`P6P8P8O_OmOTOkP>OkP9OhP2P1P6P7P8OnOmP2OePCOeP4P7OoP:P3O_P3OdP2P4OoP<OgOmP9P;";
     "OkP1OdOdOoP9OmO]P2OoP0OeOfOkOjOlOhP3P1OkP8OnP2P1OaOiOcOhOcP7OkOfOcOcP6OkPBP2OlP1P4OmOmP7P5OgOhP2P5P5OiOoP:OcP4P4P<OdP4P>OgOkOgP2";
     "P5OiO_P1OiP5P:P4OfP7OkP3P8P7P5OcP0P7P6P3P;OjOgP5P5OnOgP2OdOkP8P8P=OdOlOjP5OgP6OcP4P4P2P6OoPAOhOlP4OhOfP0OmP>OlP7P7OROkOiPDOhP2P1";
     "P8OgOiP6OjP3PFP1OeP9OoP4P4OlP4OfP2P6OnP4P5OjOhP3P1OiOmOlP0P<P6OmP?P3O\OlP7OlP0OoOlOlOkP6OYOeP0P3OiOeP?P0OdP:OeOlOfOdP6OjP5P=P2P1";
     "OoP4P7P1OdOlP;OeOjP5PHOhOaPDOoOkP6OeOmOhP2P4OmP8P0OkPBP2P3OnO[P1P>OeOdP7ObP4P3P2P3P6P8OjOeP3P8OoP9OnOeP;P1P2O[P5P9P1OfP0OfO^O\On";
     "P9P?OnP8PBP4P9OmOmP2OlO\OnP<P6P7OoP1P@P;ObOjP5OlOfO\P@P4OkOfOhP1P5OlP0OnOdP0OhP>OjP5OoOgOkOjOcP:OlOeOeOhOiOhP1OXOnOnOhOeP=OoOdP5";
     "OmOiOhP6P<P1OiOkP3P9P5P5OfOfOmOnP7OjP4P3P2P2P2OiP3P?OeP;OjP;OmOfP4ObP3OlOmOjOiP1OmP3P3OmP7OeOgP2P8OgP3P1P1P3P6OoP3OjOnOjP5OnP7P<"];
     bias := fractions 6 1 "LOQRRQPXSNPPPONKRPMNLMQMPLPLRNTSMLOLWPNOQNPJOMPPOSJNMMPOLONSRIJO" |};
  cell_memory := {| written := {| weight := rows_of 6 1 ["WcDF=CK3fF<Z9UW\dAWQBIM]X\[GMM3\DIO\]O^bKY7[SR`SQm]Jg_WBMP[;`JR^";
     "X=MK]ZNTM7eNe\P]<iXH_VgQW=[_d[gZVAlD<TRNWFj[_`=L<P:54bHQ[ANBAJL`"];
     bias := fractions 6 1 "MS" |};
    recalled := {| weight := rows_of 6 2 ["PJPT";
     "ObO>";
     "O<Pg";
     "OSNi";
     "P9O@";
     "NUOh";
     "OGPY";
     "P^P3";
     "PeOJ";
     "OdOi";
     "N]Ol";
     "P[Q2";
     "P_Ol";
     "O?O?";
     "OLOh";
     "PfO<";
     "O7Pe";
     "P8PW";
     "PYN>";
     "QHP0";
     "O^Q3";
     "O9OB";
     "PnP>";
     "N8Oh";
     "PBPX";
     "PAP;";
     "O0OM";
     "O]Oc";
     "P=QA";
     "OIP4";
     "OmQ3";
     "NeOj";
     "O\P@";
     "Q[O6";
     "POOB";
     "OhOY";
     "PJPe";
     "OCOL";
     "O\PR";
     "P<OU";
     "OgPJ";
     "P;NN";
     "OPOo";
     "OmPK";
     "P_ON";
     "OePO";
     "N9P6";
     "OIPB";
     "OXP2";
     "PMOR";
     "P2P=";
     "PRP@";
     "PgOi";
     "OhP<";
     "PjOm";
     "PWPo";
     "OTPT";
     "P>O1";
     "QIQ[";
     "PJOT";
     "OdPP";
     "N]P\";
     "PhQS";
     "PMOY"];
     bias := fractions 6 1 "IOPOSUSOPNTKMRVLMRUOMNKTPNVUOSOYUKROSVRPPLMPQTUTXVOQIKSOOOKOUVNT" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 1 ["GRKAK^iF?C[H6FT9NeY?HHRaQDIFcQd]V5ZFcEF8OAXh4bkZMG\Q@R<D`9LFhkIW";
     "[gHfb8<[LOURkRCfHLQb9`gLXVJEKRFGUbhZKLDOTjLHS4B89UE[LUIA?ZSTJBBW"];
     bias := fractions 4 1 "QO" |}
|}.

Definition codes : list code :=
  map (bits 2) (numbers 1 "12").

Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrent_network_class weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (recurrent_network_as_table weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions network_right_at_every_length.

(* The network as it runs in float32: any answer that may come out, in any order of additions. *)
Theorem float_network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  forall found, float_recurrence_may_answer single weights w found ->
  found = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (float_recurrence_as_table single weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions float_network_right_at_every_length.
