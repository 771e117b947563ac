(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: modular-arithmetic
   domain: only 18,080 of the 19,173,961 words of at most 8 symbols, 4 states, digest 8f250adadeddf46f8fd61ce635ced0c9
   model: 6b075ed6a379ca7ce7fc58f4f21773f36c991922cd086e9fea261473dbd98309
   verified content: 0fb1c53ca3856dce7cfebbb14b7a2d10621d5b03197be4a42c72cf4c042e913e

   symbols: 0 is 0, 1 is 1, 2 is 2, 3 is 3, 4 is 4, 5 is +, 6 is -, 7 is <2A>
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
  num_symbols := 8;
  answers := automaton_of 0
    (map (numbers 1) ["11111211";
     "11111111";
     "34567111";
     "11111289";
     "11111:;2";
     "11111<=>";
     "11111?@A";
     "11111BC8";
     "37654111";
     "33333111";
     "DEFGH111";
     "DHGFE111";
     "IJKLM111";
     "IMLKJ111";
     "35746111";
     "NOPQR111";
     "NRQPO111";
     "36475111";
     "STUVW111";
     "SWVUT111";
     "11111:;X";
     "11111<=:";
     "11111?@Y";
     "11111BCZ";
     "1111128;";
     "11111<=[";
     "11111?@<";
     "11111BC\";
     "1111128]";
     "11111:;=";
     "11111?@^";
     "11111BC?";
     "1111128_";
     "11111:;`";
     "11111<=@";
     "11111BCa";
     "1111128B";
     "11111:;b";
     "11111<=c";
     "11111?@C";
     "DDDDD111";
     "DFHEG111";
     "DGEHF111";
     "IIIII111";
     "IKMJL111";
     "ILJMK111";
     "NNNNN111";
     "NPROQ111";
     "NQORP111";
     "SSSSS111";
     "SUWTV111";
     "SVTWU111"])
    (numbers 1 "0000123400000000000012340234013401240123000000000000");
  domain := automaton_of 0
    (map (numbers 1) ["11111211";
     "11111111";
     "33333111";
     "11111222"])
    (numbers 1 "0001")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["11111211";
     "11111111";
     "34567111";
     "11111289";
     "11111:;2";
     "11111<=>";
     "11111?@A";
     "11111BC8";
     "37654111";
     "33333111";
     "DEFGH111";
     "DHGFE111";
     "IJKLM111";
     "IMLKJ111";
     "35746111";
     "NOPQR111";
     "NRQPO111";
     "36475111";
     "STUVW111";
     "SWVUT111";
     "11111:;X";
     "11111<=:";
     "11111?@Y";
     "11111BCZ";
     "1111128;";
     "11111<=[";
     "11111?@<";
     "11111BC\";
     "1111128]";
     "11111:;=";
     "11111?@^";
     "11111BC?";
     "1111128_";
     "11111:;`";
     "11111<=@";
     "11111BCa";
     "1111128B";
     "11111:;b";
     "11111<=c";
     "11111?@C";
     "DDDDD111";
     "DFHEG111";
     "DGEHF111";
     "IIIII111";
     "IKMJL111";
     "ILJMK111";
     "NNNNN111";
     "NPROQ111";
     "NQORP111";
     "SSSSS111";
     "SUWTV111";
     "SVTWU111"])
    (numbers 1 "5550123455555555555512340234013401240123555555555555").

Definition the_matched :=
  triples (numbers 1 "000111222333434535636737828929:2:;2;<2<=2=>2>?2?@2@A2AB2BC2CD3DE3EF3FG3GH3HI3IJ3JK3KL3LM3MN3NO3OP3PQ3QR3RS3ST3TU3UV3VW3WX2XY2YZ2Z[2[\2\]2]^2^_2_`2`a2ab2bc2c").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["000002";
     "34567";
     "00000289";
     "00000:;2";
     "00000<=>";
     "00000?@A";
     "00000BC8";
     "37654";
     "33333";
     "DEFGH";
     "DHGFE";
     "IJKLM";
     "IMLKJ";
     "35746";
     "NOPQR";
     "NRQPO";
     "36475";
     "STUVW";
     "SWVUT";
     "00000:;X";
     "00000<=:";
     "00000?@Y";
     "00000BCZ";
     "0000028;";
     "00000<=[";
     "00000?@<";
     "00000BC\";
     "0000028]";
     "00000:;=";
     "00000?@^";
     "00000BC?";
     "0000028_";
     "00000:;`";
     "00000<=@";
     "00000BCa";
     "0000028B";
     "00000:;b";
     "00000<=c";
     "00000?@C";
     "DDDDD";
     "DFHEG";
     "DGEHF";
     "IIIII";
     "IKMJL";
     "ILJMK";
     "NNNNN";
     "NPROQ";
     "NQORP";
     "SSSSS";
     "SUWTV";
     "SVTWU"]);
  code_class := classes_of (numbers 1 "001234500000000000023451345124512351234")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 52;
  outside_class := 5;
  matched_states := the_matched;
  reached := pairs (numbers 1 "0012233445566778899::;;<<==>>??@@AABBCCDDEEFFGGHHIIJJKKLLMMNNOOPPQQRRSSTTUUVVWWXXYYZZ[[\\]]^^__``aabbc");
  hopeful := vector (numbers 1 "1011111111111111111111111111111111111111111111111111")
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
  first_vector := fractions 6 2 "Q<P;RAP^PlR6R1PdOFRHNiRH";
  symbol_rows := rows_of 6 2 ["JAHgPIJPRANkNdI;P@QiJiR9";
     "PQURS4TAM`LMQKTBQNRAK0QE";
     "RAOlK7J?OeRoMgNUQZLEOlKT";
     "QPQkMRMXKDNoNNPcTcM8UKNZ";
     "PAQ2RgK^ROR=SIQgMOQDL=Lf";
     "RRL=ITOgPKNNOjKgPnPIRFQB";
     "ONP[LjO<O1Q2QXLYOlPdLgQU";
     "LkP7P_PXP_N_LdR?MVO@Q?Rg"];
  recurrent := {| weight := rows_of 6 2 ["QMQ^N2P1QDPLP>QDPfQXN^PR";
     "NOPLNROAP<O1PZQYNLPCQIPP";
     "RAOUOTPnNlPbNfPJPAOJPZR>";
     "P8NBNnO?O]NEOCPYQ:PKQ@O[";
     "OYNHQLQRP=P1P0O<N_P[P4Q@";
     "QUQ`NMRQQAOTOZN\NOP>Q?P@";
     "Q=QTPiONN@O6OAPEPSR5PFPX";
     "P0O]NkPOQ_NjP0QPPPOLN[QW";
     "P2P`QePIP?N=MhO9N`PRO>PL";
     "N]PRPQOMQlPSO3PNO1QNR_PV";
     "O5QXQnPSOGOTOmQ_Q6O5P@P0";
     "P2P[Q5OLQ7O;OcMMR3ORQ7QD"];
     bias := fractions 6 2 "PAPMPPPOP@PGPCPBPMPCP5PN" |};
  cell_memory := {| written := {| weight := rows_of 6 2 ["OaP:O>NYP^OCOEPEOEOhONP>";
     "O[O\PTN`OCO3P;OeOKOEP8PF";
     "O:O^OgP`O\NmOnPhOSNVO:P;";
     "O6OIN`P0OVNjOeOXO`NhP=PX";
     "OiOgPmNcO`OiNlOUNoO=PHP;";
     "OKPJOQPFMiOPNWO`OgP7P9Oj";
     "OHObO\OLN^OjO?PAO]OVPIP8";
     "OSOYPKO]PCN`OTONOWO1OBPV";
     "OTOCO<ODORO>O<P4O2P3PHPG";
     "OFOJOgPQOTOnN[OPOcODOcP9";
     "OnPaO0P;NiOBOfPcOKO=P9P@";
     "OHO_PLNVPaNaOLONOEOPP2PT";
     "OZPTMIMAMhOhPTQAO7OkO3P1";
     "O=Q_P[L5OOOjOfOSP3OCMNNb";
     "OjPVQ<Q_NjPFN:NbN\P4Q>M_";
     "PbPbMjQOQgO@OkPVN^OBQFMf";
     "OKNmOaN]N\PMOkN]ONQ3OdOE";
     "O8QEODMGOQOPPQOUPKONM:OB";
     "NVPZPkP_OgOcOkO9OhOYPIL^";
     "P6Q5OaQ:QWOZPAN6O=NjQ2O[";
     "OSO4L^RAOfOTQHO?P:O[OZNX";
     "P6NONkMoP;NcPSPnPAQ0OKO2";
     "PgPBQ4O8PBNWOHOQPTOMOALP";
     "PmPiOePbRENXPDOQORLmP]O[";
     "ObN5OiSBMIP4PeOHOUN>PQMR";
     "PnN>O4MdOEN\PjPDPMP8MMOK";
     "NcO7P[NnO2P@PGNSP8O7OIO_";
     "PiQQOgQJR?OOOLOHNgMgQTNX";
     "PUMLPCRoODP;NHPeNPPkQbMA";
     "PnNdOaKjOkNiOJQSOhPWM[Ng";
     "N]P^PPNIMfP`NoQ>OFMlNDOK";
     "ODNGQ6O1OBPiNVOTOBOPOIOI";
     "N:OXNiPHNPPBQ:OgNROVPaOo";
     "P7OPNKP\Q1OSPKPAOSNoNoP@";
     "O:P1OGPgPGOINoP9O`OMOgP3";
     "O_PGNePiOYNOOTOZO;P>MFP6";
     "P8N6P^QJO\OAO[N@OVOoQ0O[";
     "OAP;O@OUOVNEOIPWOWPTPNOF";
     "O0PmO8N2O^O1P4N]O6PBOdPH";
     "P@PBO0OTPgNZNjN;OQPGPXOn";
     "NgOUNkNKO9OJP\PgOgOONKPN";
     "PVOYMlN=PSN[PfQ9OTO2PZPC";
     "OQOTPON\PCOaO9PJOFNdNaP=";
     "NlO`OiNWOOPQNlNJO\O5N[PS";
     "NlLTO5S=PNOjNcQ9ONPhQMMj";
     "O>M:NeS>NfPhPaQ@OIQAQ5MU";
     "OIMeObK_OZO6P1QJP]OUN3Nl";
     "Q1O2NJM4PPNVP\QkPGP]NLOD";
     "NZRBP4P@P@OmP=OOPCM>MMO5";
     "NJRjPRMNNmPZPCOUPDMaL:OU";
     "L\R@POO8Q2OdN1P>O]NQPMN^";
     "OgPMR2PcObOhN`NSP@P4PPKn";
     "OJOlPONfQBNkNZO2P9OnOdOd";
     "QIQKOSPjRaNlP0O@O>NbQ9P2";
     "P>OQOSO:PXO^NUNHOVNjPbPY";
     "OkNZOnPSOaOSP@PGNoPPNSOV";
     "PBOMOCP]P:OgP@OnO>OkP0Pb"];
     bias := fractions 6 2 "OaO`O_ObO`O_O]O]ObO\OaO_O_OSOROTOWO_OeOOObOeOVO_O\O[OXO^ONOOO\O\O\O]O\O^OeObO[O[O`ObO\OYO^OXO_ObO^O`O^OVOaOfO[OoP6" |};
    recalled := {| weight := rows_of 6 2 ["NjOTPmP2NiO=R1QnR9PCQ3R=P=OKQ4OYP<OVOdQSQFNhO4PLP\N\O^PFP_OaNMOhMXO4OUNMMnOQQHQ\R7Q8N]P?PWPeOJO0NYNdOaOmPlPMOdPHPE";
     "P;QCR7ORO@PaQ1NeQ[P3PFP9QBOZQ9OnP5ONPRQ?OYP[QAQLPAO^PLQ4OFPdQHP<PIPmP@R2Q<OUPbQDPhP>NGMXPBP4O5P<PBPOQ0PjP9PiNYQ7PH";
     "N\N5O^Q1PfQiNlO\OmNgNaP7P2OdPTPfO6OmP[PGOOPEPnP:PVQOQ3PCNoOnQiQHOTN5QoQSPeQ>QCQ6MTO9R:OTOaOIP^POP\P^PhP^P1PDPUP7O`";
     "ODOOQ9OlNjNcOYO>PbPWQPR0N:OmOVQAOaNgO\Q8P2N]OUPGOUO6O7P6PRNFO4OgPDO8R;NIPPPTP]OcPcREQ>P;PNOdOZN9NWNoQ8OgPoQ5PjQ3PX";
     "QKQVR5N1NSQ]N_OON^PRQ@PYP;Q:OCQWOIQFPCPHOJQ?PgPSOgPZQ\QgPjP_PhP7QaQMP4NgO3OFMfNgP5P=P^PKP9OcPkQ7QCQFOfP8QCQ>PeQ5PD";
     "QTODQ?P`NlO@OhPGO2OLPGQZOSP:PcNIN@P<NmOfNdOAPgO1OTODP6O;O?N^O@P]PVPNO@O4LiNkNnPFOMO:PPNkOmO5NPO2P7O_OAP8OTN`O\O\O`";
     "Q2ODNMO\NTNeOGOANOOcPmN:OOPWOJPQOoORNcP6O:NoORP<PBO2OgOdPHO\OIOHQFPCO7O[OUNkNZN]PfPmOXN\PgOnNfO?O8OdODOAP?P2NnPFOQ";
     "P?RHO[N[OjOmP]OLMkQLOnOCOcNfNnNBO<OmO9OCNgO\NkOMNNO:OXNDNhOmOQNKPQPVO6P0QAPWQ1Q0PIPmOHOZNANMOKO:Q5OfNYN\NkNWOLNMPB";
     "NbO<NNM]O3OIPeQ0O<PENkNSQhP2QCOaP^O@Q>QaPbPkQJP`QUP?QIPSPdQFP=PnN_N8O?O0N^OWO\Q6P0OjNhORPfQ3Q5PlPMPYPkQOPkPTNLQFOC";
     "OGOnRORBPPQHOmPIOVOFPQNVPfPBPgP3OGQ6P>O:P?O^QANZP0P3P@OKOkOiORPVP5RBO:NaQXNTR2OaPQOkOoOCPZP8OEP7PcPKO\PWO:O5O_NLPI";
     "PJQZQCP`R1O8NhNfOjO_O2QgPhPWPDORPOQFOOQ6P\PePVOVPfQfP`NQQ8P2OcPVQ<PcN@OoQPN_NiNQNlN[Q8O:PjPcPJQDPcPcOTPGObOKN[OdOe";
     "Q?P[MmOkOOQLPcPTOnP@PHQ`PNQFP^PSQLQ3ORPgOlOQPQOQQCObQ5O`O]PiQNPnP2NlNkNlOcQ0PWPaPVQ?R7P[PJPPPYPIQ5Q3OjP>PlPOO4OgPF"];
     bias := fractions 6 2 "PGPOP=PCPQOQONOUP8PHP^PX" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 2 ["PgPYP3PnQ6O@PIOaOKNdNcP=";
     "NmQ8Q7PWO:PkNZNnPXQHO3O>";
     "NcPTP`O7QTQ<Q@Q>O1P]P;Qf";
     "NkOQNhNHQ4N_NhPlPgNbP^NG";
     "PSO0NSP?NkOJQ9NaP>P_Q7P>"];
     bias := fractions 6 1 "K?<gX" |}
|}.

Definition codes : list code :=
  map (bits 57) (numbers 10 "00000000030000000005000000000H000000001P000000006000000000H000000001P00000000201000000040100000008010000000@010000000P010000001001000000200100000040010000008001000000@001000000P0010000010001000002000P0000040020000008008000000@00P000000P00080000100020000020008000004000P000008000080000@0000P0000P0008000010000P00002000008000400000P0008000020000@0000P0000P000008001000000P00200000200040000080008000000100@000000100P000000101000000010200000001040000000108000000010@000000010P00000001100000000120000000014000000001").

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
