(** Programs in C: what a header with tables and three functions says, from its bytes.

    This file has definitions alone. They cover a part of C in which nothing is computed but
    comparisons and entries of constant tables, so that every conforming compiler gives the same
    numbers: constants are at most 32,767, which every [int] has, and a header with any other byte,
    word or sign is no program. [None] stands for what C leaves undefined, such as an entry outside
    a table.

    A header that a compiler refuses may be a program here (a name that is used twice, for
    instance); it does no harm, as nobody can run it. *)

From Coq Require Import List NArith Bool Strings.Byte.
From Lengthwise Require Import Words Data.
Import ListNotations.
Local Open Scope N_scope.

Notation "'do' x <- e ; f" := (match e with Some x => f | None => None end)
  (at level 200, x pattern, e at level 100, f at level 200).

(** * Tokens

    There are no backslashes and no question marks, so no trigraphs and no lines that go on. *)

Definition name := list byte.

Fixpoint same_name (x y : name) : bool :=
  match x, y with
  | [], [] => true
  | a :: x, b :: y => Byte.eqb a b && same_name x y
  | _, _ => false
  end.

Inductive token :=
  | Word (letters : name)  (** a name, a keyword or a number *)
  | Directive (line : list byte)
  | Left_paren | Right_paren | Left_bracket | Right_bracket | Left_brace | Right_brace
  | Semicolon | Comma | Equals
  | Or                     (** || *)
  | At_least.              (** >= *)

Definition between (low high : N) (b : byte) : bool :=
  (low <=? Byte.to_N b) && (Byte.to_N b <=? high).

Definition is_digit : byte -> bool := between 48 57.

Definition is_letter (b : byte) : bool :=
  is_digit b || between 65 90 b || between 97 122 b || Byte.eqb b "_"%byte.

Definition is_plain (b : byte) : bool :=
  Byte.eqb b "010"%byte
  || (between 32 126 b && negb (Byte.eqb b "\"%byte) && negb (Byte.eqb b "?"%byte)).

Definition signs : list (byte * token) :=
  [("(", Left_paren); (")", Right_paren); ("[", Left_bracket); ("]", Right_bracket);
   ("{", Left_brace); ("}", Right_brace); (";", Semicolon); (",", Comma); ("=", Equals)]%byte.

Fixpoint sign_of (b : byte) (known : list (byte * token)) : option token :=
  match known with
  | [] => None
  | (c, sign) :: others => if Byte.eqb b c then Some sign else sign_of b others
  end.

Definition two (x y b c : byte) : bool := Byte.eqb b x && Byte.eqb c y.

(** Put a byte before the tokens of what follows it. *)
Definition continue_line (b : byte) (following : option (list token)) : option (list token) :=
  match following with
  | Some (Directive line :: ts) => Some (Directive (b :: line) :: ts)
  | _ => None
  end.

Definition continue_word (b : byte) (joined : bool) (following : option (list token))
  : option (list token) :=
  match joined, following with
  | true, Some (Word letters :: ts) => Some (Word (b :: letters) :: ts)
  | false, Some ts => Some (Word [b] :: ts)
  | _, _ => None
  end.

Inductive place := Outside | In_comment | In_directive.

(** The tokens of the bytes after a place. A directive that began before them is the first one. *)
Fixpoint tokens_at (here : place) (bytes : list byte) : option (list token) :=
  match bytes with
  | [] => match here with Outside => Some [] | _ => None end
  | b :: rest =>
      let next := match rest with [] => "010"%byte | c :: _ => c end in
      let rest_of_two := match rest with [] => rest | _ :: others => others end in
      match here with
      | In_comment =>
          if two "*" "/" b next then tokens_at Outside rest_of_two else tokens_at In_comment rest
      | In_directive =>
          if Byte.eqb b "010" then do ts <- tokens_at Outside rest; Some (Directive [] :: ts)
          else continue_line b (tokens_at In_directive rest)
      | Outside =>
          if two "/" "*" b next then tokens_at In_comment rest_of_two
          else if two "|" "|" b next then
            do ts <- tokens_at Outside rest_of_two; Some (Or :: ts)
          else if two ">" "=" b next then
            do ts <- tokens_at Outside rest_of_two; Some (At_least :: ts)
          else if Byte.eqb b "#" then continue_line b (tokens_at In_directive rest)
          else if Byte.eqb b " " || Byte.eqb b "010" then tokens_at Outside rest
          else if is_letter b then continue_word b (is_letter next) (tokens_at Outside rest)
          else do sign <- sign_of b signs; do ts <- tokens_at Outside rest; Some (sign :: ts)
      end
  end%byte.

Definition tokens (source : text) : option (list token) :=
  if forallb is_plain (bytes_of source) then tokens_at Outside (bytes_of source) else None.

(** * Programs *)

(** An operand is a word: a number, a parameter or a constant. *)
Inductive expression :=
  | Operand (x : name)
  | Entry (table : name) (i : name)           (** table[i] *)
  | Entry_of_row (table : name) (i j : name). (** table[i][j] *)

(** [return e;], or [if (x >= y || ...) return e;] *)
Inductive statement :=
  | Return (e : expression)
  | Return_if (comparisons : list (name * name)) (e : expression).

Record function := { parameters : list name; body : list statement }.

Inductive declaration :=
  | Constants (values : list (name * N))
  | Vector (entries : list N)
  | Matrix (rows : list (list N))
  | Function (f : function).

(** Declarations by name; those of constants are under no name. *)
Definition program := list (name * declaration).

(** ** Numbers *)

Definition largest : N := 32767.

Definition decimal (digits : name) : N :=
  fold_left (fun n b => 10 * n + (Byte.to_N b - 48)) digits 0.

(** A number in decimal; one that begins with 0 is octal, if it is not 0 itself. *)
Definition number (x : name) : option N :=
  match x with
  | [] => None
  | b :: others =>
      if Byte.eqb b "0" then match others with [] => Some 0 | _ => None end
      else if forallb is_digit x && (decimal x <=? largest) then Some (decimal x) else None
  end%byte.

(** ** Grammar: each function reads what begins a list of tokens, and returns what is left *)

Definition parser (A : Type) := list token -> option (A * list token).

Definition reads (x : text) (letters : name) : bool := same_name (bytes_of x) letters.

(** These words, one after another. *)
Fixpoint words (expected : list text) (ts : list token) : option (list token) :=
  match expected, ts with
  | [], _ => Some ts
  | x :: expected, Word letters :: ts => if reads x letters then words expected ts else None
  | _, _ => None
  end.

Definition a_number : parser N := fun ts =>
  match ts with
  | Word x :: ts => do n <- number x; Some (n, ts)
  | _ => None
  end.

(** Items with commas between them, and a brace at their end. *)
Fixpoint items {A} (item : parser A) (fuel : nat) (ts : list token)
  : option (list A * list token) :=
  match fuel with
  | O => None
  | S fuel =>
      do (x, ts) <- item ts;
      match ts with
      | Comma :: ts => do (xs, ts) <- items item fuel ts; Some (x :: xs, ts)
      | Right_brace :: ts => Some ([x], ts)
      | _ => None
      end
  end.

(** [NAME = 3] *)
Definition a_constant : parser (name * N) := fun ts =>
  match ts with
  | Word x :: Equals :: ts => do (n, ts) <- a_number ts; Some ((x, n), ts)
  | _ => None
  end.

(** [{1, 2, 3}] *)
Definition a_row (fuel : nat) : parser (list N) := fun ts =>
  match ts with
  | Left_brace :: ts => items a_number fuel ts
  | _ => None
  end.

Definition has_length {A} (n : N) (xs : list A) : bool := N.of_nat (length xs) =? n.

(** What a type of entries can hold. *)
Definition largest_of (type : name) : option N :=
  if reads "uint8_t" type then Some 255 else if reads "uint16_t" type then Some largest else None.

(** [static const uint8_t NAME[2] = {...};] or [NAME[2][3] = {{...}, {...}};], after the first two
    words. *)
Definition a_table (fuel : nat) : parser (name * declaration) := fun ts =>
  match ts with
  | Word type :: Word x :: Left_bracket :: Word n :: Right_bracket :: ts =>
      do most <- largest_of type;
      do n <- number n;
      match ts with
      | Equals :: ts =>
          do (row, ts) <- a_row fuel ts;
          match ts with
          | Semicolon :: ts =>
              if has_length n row && forallb (fun entry => entry <=? most) row
              then Some ((x, Vector row), ts) else None
          | _ => None
          end
      | Left_bracket :: Word m :: Right_bracket :: Equals :: Left_brace :: ts =>
          do m <- number m;
          do (rows, ts) <- items (a_row fuel) fuel ts;
          match ts with
          | Semicolon :: ts =>
              if has_length n rows
                 && forallb (fun row => has_length m row
                                        && forallb (fun entry => entry <=? most) row) rows
              then Some ((x, Matrix rows), ts) else None
          | _ => None
          end
      | _ => None
      end
  | _ => None
  end.

Definition an_expression : parser expression := fun ts =>
  match ts with
  | Word x :: Left_bracket :: Word i :: Right_bracket :: Left_bracket :: Word j
    :: Right_bracket :: ts => Some (Entry_of_row x i j, ts)
  | Word x :: Left_bracket :: Word i :: Right_bracket :: ts => Some (Entry x i, ts)
  | Word x :: ts => Some (Operand x, ts)
  | _ => None
  end.

(** [x >= y || z >= w)] *)
Fixpoint comparisons (ts : list token) : option (list (name * name) * list token) :=
  match ts with
  | Word x :: At_least :: Word y :: Or :: ts =>
      do (others, ts) <- comparisons ts; Some ((x, y) :: others, ts)
  | Word x :: At_least :: Word y :: Right_paren :: ts => Some ([(x, y)], ts)
  | _ => None
  end.

(** [return e;] *)
Definition a_return : parser expression := fun ts =>
  do ts <- words ["return"%text] ts;
  do (e, ts) <- an_expression ts;
  match ts with
  | Semicolon :: ts => Some (e, ts)
  | _ => None
  end.

Fixpoint statements (fuel : nat) (ts : list token) : option (list statement * list token) :=
  match fuel with
  | O => None
  | S fuel =>
      match words ["if"%text] ts with
      | Some (Left_paren :: ts) =>
          do (cs, ts) <- comparisons ts;
          do (e, ts) <- a_return ts;
          do (others, ts) <- statements fuel ts; Some (Return_if cs e :: others, ts)
      | Some _ => None
      | None =>
          do (e, ts) <- a_return ts;
          match ts with
          | Right_brace :: ts => Some ([Return e], ts)
          | _ => None
          end
      end
  end.

(** [void)], or [unsigned x, unsigned y)] *)
Fixpoint some_parameters (ts : list token) : option (list name * list token) :=
  match ts with
  | Word type :: Word x :: Comma :: ts =>
      do (others, ts) <- some_parameters ts;
      if reads "unsigned" type then Some (x :: others, ts) else None
  | Word type :: Word x :: Right_paren :: ts =>
      if reads "unsigned" type then Some ([x], ts) else None
  | Word type :: Right_paren :: ts => if reads "void" type then Some ([], ts) else None
  | _ => None
  end.

(** [static inline unsigned NAME(...) {...}], after the first word. *)
Definition a_function (fuel : nat) : parser (name * declaration) := fun ts =>
  do ts <- words ["inline"; "unsigned"]%text ts;
  match ts with
  | Word x :: Left_paren :: ts =>
      do (xs, ts) <- some_parameters ts;
      match ts with
      | Left_brace :: ts =>
          do (body, ts) <- statements fuel ts;
          Some ((x, Function {| parameters := xs; body := body |}), ts)
      | _ => None
      end
  | _ => None
  end.

(** [enum {X = 1, Y = 2};], a table or a function. *)
Definition a_declaration (fuel : nat) : parser (name * declaration) := fun ts =>
  match words ["enum"%text] ts, words ["static"; "const"]%text ts, words ["static"%text] ts with
  | Some (Left_brace :: ts), _, _ =>
      do (values, ts) <- items a_constant fuel ts;
      match ts with
      | Semicolon :: ts => Some (([], Constants values), ts)
      | _ => None
      end
  | _, Some ts, _ => a_table fuel ts
  | _, _, Some ts => a_function fuel ts
  | _, _, _ => None
  end.

(** Declarations up to [#endif], which ends the file. *)
Fixpoint declarations (fuel : nat) (ts : list token) : option program :=
  match fuel, ts with
  | S fuel, [Directive line] => if reads "#endif" line then Some [] else None
  | S fuel, _ =>
      do (d, ts) <- a_declaration fuel ts;
      do others <- declarations fuel ts;
      Some (d :: others)
  | O, _ => None
  end.

Definition mentions (x : name) (ts : list token) : bool :=
  existsb (fun t => match t with Word letters => same_name x letters | _ => false end) ts.

(** The macro that keeps a header from being read twice is no word of the rest. *)
Definition parse (source : text) : option program :=
  do ts <- tokens source;
  match ts with
  | Directive include :: Directive unless :: Directive define :: ts =>
      let macro := skipn (length (bytes_of "#define ")) define in
      if reads "#include <stdint.h>" include
         && same_name (bytes_of "#ifndef " ++ macro) unless
         && same_name (bytes_of "#define " ++ macro) define
         && forallb is_letter macro && negb (mentions macro ts)
      then declarations (length ts) ts else None
  | _ => None
  end.

(** * What a program does *)

Fixpoint find {A} (x : name) (defined : list (name * A)) : option A :=
  match defined with
  | [] => None
  | (y, a) :: others => if same_name x y then Some a else find x others
  end.

Definition constants (p : program) : list (name * N) :=
  flat_map (fun d => match snd d with Constants values => values | _ => [] end) p.

(** The number of an operand; parameters come before constants. *)
Definition operand (p : program) (known : list (name * N)) (x : name) : option N :=
  match number x, find x known with
  | Some n, _ => Some n
  | None, Some n => Some n
  | None, None => find x (constants p)
  end.

Fixpoint entry_at {A} (entries : list A) (i : N) : option A :=
  match entries, i with
  | [], _ => None
  | x :: _, 0 => Some x
  | _ :: others, _ => entry_at others (N.pred i)
  end.

Definition evaluate (p : program) (known : list (name * N)) (e : expression) : option N :=
  match e with
  | Operand x => operand p known x
  | Entry table i =>
      match find table p, operand p known i with
      | Some (Vector entries), Some i => entry_at entries i
      | _, _ => None
      end
  | Entry_of_row table i j =>
      match find table p, operand p known i, operand p known j with
      | Some (Matrix rows), Some i, Some j =>
          do row <- entry_at rows i; entry_at row j
      | _, _, _ => None
      end
  end.

(** Whether a comparison holds; those after the first that does are not evaluated. *)
Fixpoint one_holds (p : program) (known : list (name * N)) (cs : list (name * name))
  : option bool :=
  match cs with
  | [] => Some false
  | (x, y) :: others =>
      match operand p known x, operand p known y with
      | Some x, Some y => if y <=? x then Some true else one_holds p known others
      | _, _ => None
      end
  end.

Fixpoint execute (p : program) (known : list (name * N)) (body : list statement) : option N :=
  match body with
  | [] => None
  | Return e :: _ => evaluate p known e
  | Return_if cs e :: others =>
      do holds <- one_holds p known cs;
      if holds then evaluate p known e else execute p known others
  end.

(** What a function returns. *)
Definition call (p : program) (f : name) (arguments : list N) : option N :=
  match find f p with
  | Some (Function f) =>
      if has_length (N.of_nat (length arguments)) (parameters f)
      then execute p (combine (parameters f) arguments) (body f) else None
  | _ => None
  end.

(** * What it claims: the functions NAME_reset, NAME_step and NAME_class *)

Definition reset (p : program) (x : text) : option N := call p (bytes_of x ++ bytes_of "_reset") [].

Definition step (p : program) (x : text) (state symbol : N) : option N :=
  call p (bytes_of x ++ bytes_of "_step") [state; symbol].

Definition class_in (p : program) (x : text) (state : N) : option N :=
  call p (bytes_of x ++ bytes_of "_class") [state].

Fixpoint state_after (p : program) (x : text) (state : N) (w : word) : option N :=
  match w with
  | [] => Some state
  | symbol :: rest => do after <- step p x state symbol; state_after p x after rest
  end.

(** The class of a word: reset, a step for each symbol, and the class of the state. *)
Definition program_class (source : text) (x : text) (w : word) : option N :=
  do p <- parse source;
  do first <- reset p x;
  do last <- state_after p x first w;
  class_in p x last.

(** Whatever numbers the functions get, C defines what they return. The states are the numbers
    below one of them, and a symbol leads from a state to a state. All else leads to that number,
    which has the class 32,767, and no state has it. *)
Definition safe (source : text) (x : text) (num_symbols : N) : Prop :=
  exists p num_states, parse source = Some p /\
  forall state symbol, exists after class,
    step p x state symbol = Some after /\ class_in p x state = Some class
    /\ (if (state <? num_states) && (symbol <? num_symbols)
        then after < num_states else after = num_states)
    /\ (class = largest <-> num_states <= state).
