(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, folded in a tree. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: parity
   model: 44598119f7002beebb62e48b83c15c4a214fbefe6a7bf4f42ac0ac626fa3a898
   verified content: 40dfe7e11516dc4bd718da74c1fb1f8ae50f08e3821363f767d76c43c5dbf330

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

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["012";
     "112";
     "221"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["012";
     "112";
     "221"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "12") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "12") |}
  ];
  repeat_from := 1;
  empty_class := Some 0
|}.

Definition the_maps := (map (numbers 1) ["01";
     "10"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1021");
  good := 3;
  steps := vector (numbers 1 "33")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1021");
  good := 3;
  steps := vector (numbers 1 "33")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 2;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1];
  back_to := 1
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : tree_network := {|
  places := 2;
  symbols := rows_of 6 2 ["OMOOP2PDOnOeOjPFP>O]O`OmPUP9PFOk";
     "P7OoObP0PHOaP5PIOnPCP2P4OmPSOUOL"];
  pad := fractions 6 2 "OVOWOeOgP3PEP0OIP:O\P5OoOkP:PFP4";
  query_scale := Qmake 1 2;
  share := Qmake 1 2;
  layers := [{|
    heads := [{| query := rows_of 6 1 ["FM_mYVd=W<;@WYA[";
     "]MSTdh8IYejk[;P<";
     "5eb=QOP@_CVZbW9B";
     "aT8AheFG8R98KRGc"]; key := rows_of 6 1 ["^EVV[J<PVHZaARUO";
     "FMCWac[TY?@?o`CY";
     "]caeHLfYEgXYATLe";
     "DSVcA_CQG:8\b]lE"]; value := rows_of 6 1 ["1:BU>mOCgY_YF>Wh";
     "M@\nL89\KIW\meF7";
     "Al^XA`bj8HEjGJU@";
     "SZQ7eBXiW[gV7fK7"]; offset_bias := fractions 6 2 "PnQ9" |};
      {| query := rows_of 6 2 ["OYPJPGO\OkOoP1P8P9OnOeP@OXObOjOa";
     "OmOYOcP6OiOfPDP9OmP6P7PFPLPMP:O`";
     "OSO\P?P;OdOWOXO`OlPDP<OUPMO]OfO_";
     "O`OaOVOeP2OiOcPGOVOoPHOhPXPCOQP5"]; key := rows_of 6 2 ["OjP8OdP4OaOdOXOcP>PDPEPDP9OjP3PE";
     "OiP7P<POP0OoOkP:OjOXOVPCPQP9OnP5";
     "P;P2OgP>P=O]PBP@OeP9OgP0PAP5O_Oe";
     "OgOdP0PMOoOcP3P=P>O]OiO]P0P6ObP:"]; value := rows_of 6 2 ["P7OlPFOfO]OmP=P8P4P6P<OmO]O\OXP8";
     "O\OlP:P9O`PDOcPEO_OiP;OfPRO`OcOg";
     "P>PNOjP5OoOdP=OfOlPLP2PGO\PFOQOf";
     "OeP0P9PKOkP0P@OiPFO_OlOmPEP>P3O_"]; offset_bias := fractions 6 2 "Q1Q9" |};
      {| query := rows_of 6 1 ["GEj1WF_\XTNO:ca`";
     "@P:D@YBQSe9<BdEe";
     "_SLUOOUO?Fa5Qg`U";
     ">\9OCPUcXn]:Z9I["]; key := rows_of 6 1 ["gR>MQC`8??G[;_LZ";
     "V=a`b_E`U_:E9CZB";
     "S[V<CEViYI\><^?W";
     "FH;`IecYUNGOZ<gQ"]; value := rows_of 6 1 ["a\Z7_gR7^BXT9V9W";
     "8IUmD`KC=3fJ\Vde";
     "[5FE;^j5g@CZSMLl";
     "B9UG=TbF]^]CUHCQ"]; offset_bias := fractions 6 2 "PoQ6" |};
      {| query := rows_of 6 1 ["\iJK`3a;NIDVdI=E";
     "6^D9B^]gXFJZfYBB";
     "5U@<g?NWR>9eSeIZ";
     "MRAS[MGAa:^IBX>T"]; key := rows_of 6 1 ["3?aY@bXV`=\]@\I[";
     "OOYSMLWROH`GBL\C";
     "F@d_?@?LL>HTAUNF";
     "\iDSIc9?cCWPILZO"]; value := rows_of 6 1 ["]eU^J\CGP[>haDF_";
     "<EV;\]^?gAg:<^TQ";
     "@EKGQQP]eUFGPBLJ";
     "T>_>Njg;XPCFW>]^"]; offset_bias := fractions 6 2 "PlQ5" |}];
    output := rows_of 6 2 ["O^PKP5PCPIOnPKObOeO_OhO`P7OjP>Oe";
     "P4OdOTP;P6O]OfP2P4PEP6P=P<OjP:PC";
     "OmP6P9PFOdOjPFONOhOYP;OQPFPDP6On";
     "PLOeOkOdOlP1OoOjOZP9P3P5PBPMO]Om";
     "OgOUOZPHP@P=P=ObP6PHOcPJP8PGOfP?";
     "OTP0P>P;PHPOPNP9P?OlOWOdOlO\P<P7";
     "OkP=PRPBOUOePHP0P4OOOMP;P?OMP5OR";
     "PKP4PEOPOYP<PBPDPKO[PKO[P9OdOiP9";
     "OjOjORORP:OeORP5OYOaPFPBP4OfP>P6";
     "OUP<PRO[OOP>PJO]OjPBP1P0PGP:O\Om";
     "PAPFORP<OjOOP4ObP9O[O^P0OiPCP5PG";
     "P1OePCP5P9ObP=OZP5ONOnOZOnP<OYO[";
     "OlOfP0P2P?OUOlP@PQOnOdP:PAOcO`P>";
     "OkOVOcP=OhPCPMOgOnOdOkP3O[OeOVP>";
     "OXPOP1OfP;P>PIP8OLP<OeO`P>P<OSOh";
     "PJP;PDOeO_PGP2PYOeOgP0OXP9PJP:P0"];
    expand := {| weight := rows_of 6 1 ["RK`DCDVZW<\OT`PM";
     "ENDdOR?OR:UOLNU[";
     "<^?FWK=AJRA?SC7J";
     "S;LLBSL=UGE\Z`SF";
     "OMZ@KZKEZ@N@`>fB";
     ";W`ELYF_@EL`UFKO";
     "?QDgG;@RYJQCFHV?";
     ":JFg_:EZ]YP@YGUN";
     "Og[G?JA_TGDAQ<<D";
     "N`A[`KDUPTGY]GW`";
     "EOTFRXYAE\S<?<CL";
     "WT[f\8Pa_6a_AVVC";
     "]TW]\gXZ?NMK]Z^\";
     "=TTY]ABiK=b]HQ9@";
     "XCQCAYaWb];;<ImU";
     "W=_TEFbRHRNKL`TC";
     "IKOBbPBSUE[Y?ZJ[";
     "JL]CLgIZcfG\KE[X";
     "`[LTZ\`G>]G`LPWO";
     "H]J[d?FKbZRIE\Ga";
     "dZf=[PaILJA\ZT`D";
     "TCHOSddK_@;MN=RM";
     "8RX[G7<T]?KGN@Ab";
     "CRLEOOBXQ9a^[MR@";
     "LNOWNHGJJ:`^`PJO";
     "YhHHG@V[cWUGiaOD";
     "_V^W^<C`JAdSXFLF";
     "LIEXFd\JHDE=DMYK";
     "Z^OK_X8TLEcQ\SEC";
     "HY]Pg;PiIXWH>\@O";
     "iONOAGK?QWF?PFUB";
     "<^8NUMAC_IKOIKKa";
     "PT>[^EQ`JIfP:SPI";
     "I[XJNQYPETQQGUDU";
     "`J?MODI^]]ZWP[NN";
     "YT?F\YYT\?C?YRCS";
     "O?TO=LaWSNPO;A[^";
     "I[I`bKP_BI\QWN;D";
     "6bCIKDCVGXZLYC^e";
     "Ub?MX9VSF?\H=^UO";
     "IFPUXYe>aJCLJOkI";
     "NHMe\XRUXC_WB_IQ";
     "ARKOAAB_`AQIHLCZ";
     "=Y?SXHF\]H@CJRMe";
     "MGZZaWZIXGMC;[X]";
     "gS_E^]_MOOEYP[LG";
     ">e?a\TK]`MZBMSJI";
     "5TQgBQ6@IIWAZ^J_";
     "P?KK;JaR^MPINOh[";
     "hSYYLch]CGS\`[cF";
     "HTSET?HN\:KBREUC";
     "AMWcgF8SGH^\S[@L";
     "JKLRAVFB_CWaWUP]";
     "Q=HYIa[SRS8>EXiS";
     "`PI9EVMGHYSfjHWN";
     "_KGFYPLYcSA[GEEK";
     "8M<U\:GNZWSIGINR";
     "YNUBOgBC_RAVRLRb";
     "VWS[\DF_H]GX=WTR";
     "F_@J>CHFWI^FIYPd";
     "QJNTTNdFLWX`^OcJ";
     "EHAXQGLQ_\BVWUPV";
     "ReCKJ?Nd?UfLKNKC";
     "?M;fNI=]JED?\@FL"];
     bias := fractions 6 1 "SNONPROSNOQRPSUIROMPGVQRSKQRRTRWTQKPVROSXQQSOINQUINTPUKUOMRQJPTP" |};
    contract := {| weight := rows_of 6 1 ["SR@_BRHEZ]NN]b[FSdKH=MXQTXLVRb^Y`EOSD]C^dBZPC\=>HJPRBSWcUXV=V=QF";
     "`RKT>L\VS\GBaLE^YGOR\G`@B[KKNCJYHDMSJ;Q?SDc`CcCVCGU@Y<eUcDCJ`HET";
     "VC`DbIKPQNEZ`TaXMADEMYJNKEJeYWPKXFE`S>ZP[?T[OF_XWWRTLHZPXOLPTD:X";
     "JQXTWS\VYW_:I9@a>9`KcN[\:ZN<LBJSEZZL;FUTJU[OHGT]LhP=OET[TXPP_GG[";
     "T=MJ`UOSEN[GCYRK`U;BZSBYXCgchaID\RXAL_KOG[F6^QA;dIBbQX@G@UF[NH`9";
     "LYEZMBF^`MBASIKYNRgefCQMPTF<:XLVBBOUDAc?<Ng]UV`PY\UJ@Vb=DDYNcI7_";
     "HLOP<A_VMN:T[`:T[[F^]SK]LASUDVP^^UDGO?[EFYFL]IbKK[[DMPdFJMOJDC@O";
     "ICU\DRW`KQbW?FHQD=bPUNLPUCMGQSVY>RVG:VPLE\gdMd]Z@OBT\T^Oe@HGPSLK";
     "J?>QCT8<F>[cF[bPOGW;GXDKGSVhRfPCOSUOZgO^bTRP^9QGOCWhF`UYLdSEMT^H";
     "PS=R`PFU8HIe=ZIIWS[I@\RPbH`dbYT9ETS`ccBJGT:5D8C<KXIgVVBI=dM8\ON:";
     "DCb]QAOCRMRHWTSQLOGcKXHOQ@RDME[]RKCWHPEX_YRYA_MWNMJUGM]MC>FbC[VK";
     "MDWPLY_SYTLQLYEUA=VTPRVW_DBCG?MXV^YNJOWHPEGYOSFdKOMO>JXT[=WdV[B[";
     "PFV=OD==7SNGNUa<L[QKMiB\bD]dWcPTSJcXe\ScZIM;MAK9_7TdEh:RTRbAJCQY";
     "^SRB_MIAY[aPCSVXIIaUJULMUD[bKCU>ZCOAZWXN_T\UAPJF_NTV_]O<AZOEVaVN";
     "OBUBaHA9EMEbYHXPbSTICb:`gN_k^`VDXLdKZTTYaK@MD:R=MENRNSU\CKSOMYhN";
     "SWGRaHKBAXYKW\_Ucb:ETMNJYZ]dUbUIFeP^^X?XMVDV>FOK`E?cWa?KEWX@NLhD"];
     bias := fractions 6 1 "WJLKULOLUTKNTMUW" |}
  |}];
  node_memory := {| written := {| weight := rows_of 6 2 ["PTOVOhOOPOOPP=OfPXP=OVP7P>OQP;PX";
     "P7P8ObPBO[PYPKP@O\ODOUPTOEOGOdP3"];
     bias := fractions 6 1 "UM" |};
    recalled := {| weight := rows_of 6 2 ["O?OZ";
     "OeOo";
     "POP6";
     "OAO]";
     "PLOf";
     "OYPC";
     "O]PM";
     "PCOV";
     "OEPQ";
     "OMP8";
     "P@OP";
     "POOK";
     "P5P8";
     "P8OR";
     "ObPR";
     "OaP0"];
     bias := fractions 6 1 "OMPNTKIPSOQORQKP" |};
    on := Qmake 1 1; off := Qmake (-1) 1 |};
  answer := {| weight := rows_of 6 2 ["PEPIOYPBORP6PJO=P[P[P0P=O_OkPBOc";
     "OMOiP6O=OdO^O[O^OiP4P^P^O\P1ONOj"];
     bias := fractions 6 1 "WI" |}
|}.

Definition codes : list code :=
  map (bits 2) (numbers 1 "12").

Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  network_class weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (network_as_table weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions network_right_at_every_length.

(* The network as it runs in float32: any answer that may come out, in any order of additions. *)
Theorem float_network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  forall found, float_network_may_answer single weights w found ->
  found = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (float_network_as_table single weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions float_network_right_at_every_length.
