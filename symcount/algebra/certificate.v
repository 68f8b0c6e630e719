(* A certificate that Coq checks by itself: coqc FILE.
   It needs MathComp (algebra, fingroup, algebra-tactics, zify); written for Coq 8.16 and MathComp 1.15.
   First what certificates have in common, all of it proved here; then the statement, and its proof. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From mathcomp Require Import ring zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* What a statement may use: a column of ones, the identity, zeros, a permutation, all over R *)
Notation ones R n := (@const_mx R n 1 1%R).
Notation eye R n := (@scalar_mx R n 1%R).
Notation zeros R m n := (@GRing.zero (matrix_zmodType R m n)).
Notation permutation R s := (@perm_mx R _ s).
(* a matrix of one entry, as a number *)
Notation entry A := (@fun_of_matrix _ 1 1 A ord0 ord0).
(* f of each row *)
Definition rows (R : ringType) (f : forall k, 'rV[R]_k -> 'rV[R]_k) m n (A : 'M[R]_(m, n)) : 'M[R]_(m, n) :=
  \matrix_(i, j) f n (row i A) ord0 j.
Arguments rows {R} f {m n} A.
(* rows u, u + 1, ... of what it multiplies *)
Definition window (R : ringType) (u m n : nat) : 'M[R]_(m, n) := \matrix_(i, j) (nat_of_ord i + u == nat_of_ord j)%N%:R.

Section AnyRing.
Variable R : comRingType.
Implicit Types (m n p q k : nat) (a : R).

Lemma addE m n (A B : 'M[R]_(m, n)) i j : (A + B) i j = A i j + B i j. Proof. by rewrite mxE. Qed.
Lemma oppE m n (A : 'M[R]_(m, n)) i j : (- A) i j = - A i j. Proof. by rewrite mxE. Qed.
Lemma scaleE m n a (A : 'M[R]_(m, n)) i j : (a *: A) i j = a * A i j. Proof. by rewrite mxE. Qed.
Lemma zeroE m n i j : (0 : 'M[R]_(m, n)) i j = 0. Proof. by rewrite mxE. Qed.
Lemma trD m n (A B : 'M[R]_(m, n)) : (A + B)^T = A^T + B^T. Proof. exact: linearD. Qed.
Lemma trN m n (A : 'M[R]_(m, n)) : (- A)^T = - A^T. Proof. exact: linearN. Qed.
Lemma trZ m n a (A : 'M[R]_(m, n)) : (a *: A)^T = a *: A^T. Proof. exact: linearZ. Qed.
Lemma pulll m n p a (A : 'M[R]_(m, n)) (B : 'M_(n, p)) : (a *: A) *m B = a *: (A *m B).
Proof. by rewrite -scalemxAl. Qed.
Lemma pullr m n p a (A : 'M[R]_(m, n)) (B : 'M_(n, p)) : A *m (a *: B) = a *: (A *m B).
Proof. by rewrite -scalemxAr. Qed.

(* What is true of two neighbours is true of them inside a product *)
Lemma after m n p (B : 'M[R]_(m, n)) (C : 'M_(n, p)) E : B *m C = E ->
  forall q (A : 'M_(q, m)), A *m B *m C = A *m E.
Proof. by move=> <- q A; rewrite mulmxA. Qed.

(* Ones, diagonals, windows *)
Lemma ones_ones n : (ones R n)^T *m ones R n = n%:R *: eye R 1.
Proof.
apply/matrixP=> i j; rewrite !mxE !ord1 eqxx mulr1 (eq_bigr (fun=> 1)); last by move=> k _; rewrite !mxE mulr1.
by rewrite sumr_const card_ord.
Qed.
Lemma diag_diag n (v w : 'rV[R]_n) : diag_mx v *m diag_mx w = diag_mx w *m diag_mx v.
Proof. by rewrite !mulmx_diag; congr diag_mx; apply/rowP=> i; rewrite !mxE mulrC. Qed.
Lemma window_window u v m n p : (u + m <= n)%N -> window R u m n *m window R v n p = window R (u + v) m p.
Proof.
move=> le; apply/matrixP=> i j; rewrite !mxE.
have lt : (nat_of_ord i + u < n)%N by have := ltn_ord i; lia.
rewrite (bigD1 (Ordinal lt)) //= !mxE eqxx mul1r big1 ?addr0 ?addnA // => k ne.
rewrite !mxE; case: eqP => [e|_]; last by rewrite mul0r.
by case/eqP: ne; apply: val_inj.
Qed.
Lemma window_ones u m n : (u + m <= n)%N -> window R u m n *m ones R n = ones R m.
Proof.
move=> le; apply/matrixP=> i j; rewrite !mxE.
have lt : (nat_of_ord i + u < n)%N by have := ltn_ord i; lia.
rewrite (bigD1 (Ordinal lt)) //= !mxE eqxx mul1r big1 ?addr0 // => k ne.
rewrite !mxE; case: eqP => [e|_]; last by rewrite mul0r.
by case/eqP: ne; apply: val_inj.
Qed.

(* Permutations *)
Lemma perm_tr n (s : 'S_n) : permutation R s *m (permutation R s)^T = eye R n.
Proof. by rewrite tr_perm_mx -perm_mxM mulgV perm_mx1. Qed.
Lemma tr_perm n (s : 'S_n) : (permutation R s)^T *m permutation R s = eye R n.
Proof. by rewrite tr_perm_mx -perm_mxM mulVg perm_mx1. Qed.
Lemma perm_ones n (s : 'S_n) : permutation R s *m ones R n = ones R n.
Proof. by rewrite -row_permE; apply/matrixP=> i j; rewrite !mxE. Qed.
Lemma tr_perm_ones n (s : 'S_n) : (permutation R s)^T *m ones R n = ones R n.
Proof. by rewrite tr_perm_mx perm_ones. Qed.

(* A matrix of one entry is a number *)
Lemma tr11 (A : 'M[R]_(1, 1)) : A^T = A. Proof. by apply/matrixP=> i j; rewrite mxE !ord1. Qed.
Lemma scalar11 (A : 'M[R]_(1, 1)) : exists a, A = a *: eye R 1.
Proof. by exists (entry A); rewrite scalemx1 -mx11_scalar. Qed.
Lemma entry11 a : entry (a *: eye R 1) = a. Proof. by rewrite !mxE mulr1. Qed.

(* Functions of each number, and of each row *)
Section Function.
Variables (f : R -> R) (g : forall k, 'rV[R]_k -> 'rV[R]_k).
Lemma map_perm_r m n (A : 'M_(m, n)) s : map_mx f (A *m permutation R s) = map_mx f A *m permutation R s.
Proof. by rewrite -[s]invgK -!col_permE; apply/matrixP=> i j; rewrite !mxE. Qed.
Lemma map_perm_l m n (A : 'M_(m, n)) s : map_mx f (permutation R s *m A) = permutation R s *m map_mx f A.
Proof. by rewrite -!row_permE; apply/matrixP=> i j; rewrite !mxE. Qed.
Lemma map_ones_l m n (A : 'M_(1, n)) : map_mx f (ones R m *m A) = ones R m *m map_mx f A.
Proof. by apply/matrixP=> i j; rewrite !mxE !big_ord1 !mxE !mul1r. Qed.
Lemma rows_perm_l m n (A : 'M_(m, n)) s : rows g (permutation R s *m A) = permutation R s *m rows g A.
Proof.
rewrite -!row_permE; apply/matrixP=> i j; rewrite !mxE; congr (g _ _ _).
by apply/rowP=> k; rewrite !mxE.
Qed.
Lemma rows_ones_l m n (A : 'M_(1, n)) : rows g (ones R m *m A) = ones R m *m rows g A.
Proof.
apply/matrixP=> i j; rewrite !mxE big_ord1 !mxE mul1r; congr (g _ _ _).
by apply/rowP=> k; rewrite !mxE big_ord1 !mxE mul1r.
Qed.
Lemma row_rows m n (A : 'M_(m, n)) i : row i (rows g A) = g (row i A).
Proof. by apply/rowP=> j; rewrite !mxE. Qed.
Lemma rows_r m n (A : 'M_(m, n)) (P : 'M_(n, n)) : (forall x : 'rV_n, g (x *m P) = g x *m P) ->
  rows g (A *m P) = rows g A *m P.
Proof. by move=> law; apply/row_matrixP=> i; rewrite row_rows !row_mul row_rows law. Qed.
Lemma rows_shift m n (A : 'M_(m, n)) c :
  (forall k (x : 'rV_k) a, g (x + a *: (ones R k)^T) = g x) -> rows g (A + c *m (ones R n)^T) = rows g A.
Proof.
move=> law; apply/row_matrixP=> i; rewrite !row_rows -[RHS](law _ _ (c i ord0)); congr (g _).
by apply/rowP=> j; rewrite !mxE big_ord1 !mxE.
Qed.
Lemma rows_ones m n (A : 'M_(m, n)) :
  (forall k (x : 'rV_k), (0 < k)%N -> g x *m ones R k = eye R 1) -> (0 < n)%N -> rows g A *m ones R n = ones R m.
Proof.
move=> law pos; apply/row_matrixP=> i; rewrite row_mul row_rows law //.
by apply/matrixP=> j k; rewrite !mxE !ord1.
Qed.
End Function.
End AnyRing.

Section Units.
Variable R : comUnitRingType.
Lemma orth_unit n (Q : 'M[R]_(n, n)) : Q *m Q^T = eye R n -> Q \in unitmx. Proof. by case/mulmx1_unit. Qed.
Lemma inv_orth n (Q : 'M[R]_(n, n)) : Q *m Q^T = eye R n -> invmx Q = Q^T.
Proof. by move=> e; rewrite -[RHS](mulKmx (orth_unit e)) e mulmx1. Qed.
Lemma inv_mul n (A B : 'M[R]_(n, n)) : A \in unitmx -> B \in unitmx -> invmx (A *m B) = invmx B *m invmx A.
Proof.
move=> uA uB; have u : A *m B \in unitmx by rewrite unitmx_mul uA.
by rewrite -[RHS](mulKmx u) -!mulmxA (mulmxA B) mulmxV // mul1mx mulmxV // mulmx1.
Qed.
Lemma inv_tr n (A : 'M[R]_(n, n)) : invmx A^T = (invmx A)^T. Proof. by rewrite trmx_inv. Qed.
Lemma inv_eye n : invmx (eye R n) = eye R n. Proof. exact: invmx1. Qed.
Lemma tr_inv_l n (A : 'M[R]_(n, n)) : A \in unitmx -> A^T *m (invmx A)^T = eye R n.
Proof. by move=> u; rewrite -trmx_mul mulVmx // trmx1. Qed.
Lemma tr_inv_r n (A : 'M[R]_(n, n)) : A \in unitmx -> (invmx A)^T *m A^T = eye R n.
Proof. by move=> u; rewrite -trmx_mul mulmxV // trmx1. Qed.
End Units.

Section Positive.
Variables (R : realFieldType) (n : nat) (v : 'rV[R]_n).
Hypothesis pos : forall i, 0 < v ord0 i.
Lemma diag_unit : diag_mx v \in unitmx.
Proof. by rewrite unitmxE det_diag unitfE; apply/prodf_neq0=> i _; rewrite gt_eqF. Qed.
Lemma inv_diag : invmx (diag_mx v) = diag_mx (\row_i (v ord0 i)^-1).
Proof.
rewrite -[RHS](mulKmx diag_unit) mulmx_diag (_ : \row__ _ = const_mx 1) ?diag_const_mx ?mulmx1 //.
by apply/rowP=> i; rewrite !mxE divff // gt_eqF.
Qed.
Lemma inv_pos i : 0 < (\row_i (v ord0 i)^-1) ord0 i. Proof. by rewrite mxE invr_gt0. Qed.
Variable f : R -> R.
Hypothesis law : forall c x, 0 < c -> f (c * x) = c * f x.
Lemma map_diag_r m (A : 'M_(m, n)) : map_mx f (A *m diag_mx v) = map_mx f A *m diag_mx v.
Proof. by rewrite !mul_mx_diag; apply/matrixP=> i j; rewrite !mxE !(mulrC _ (v _ _)) law. Qed.
Lemma map_diag_l m (A : 'M_(n, m)) : map_mx f (diag_mx v *m A) = diag_mx v *m map_mx f A.
Proof. by rewrite !mul_diag_mx; apply/matrixP=> i j; rewrite !mxE law. Qed.
End Positive.

(* Dividing by a whole number: p is the number, t what it is multiplied with to divide *)
Lemma divides (R : comUnitRingType) (a : R) :
  a \is a GRing.unit -> exists p t, [/\ p = a, a^-1 = t & p * t = 1].
Proof. by move=> u; exists a, a^-1; rewrite divrr. Qed.
Lemma multiplied (R : comRingType) (p t x y : R) : p * t = 1 -> p * x = p * y -> x = y.
Proof. by move=> e f; rewrite -[x]mul1r -[y]mul1r -e mulrAC f mulrAC. Qed.

Lemma bridge T (a b c d : T) : a = b -> c = a -> b = d -> c = d. Proof. by move=> -> -> ->. Qed.

(* Sums multiplied out, transposes inside, numbers in front, brackets to the left, blocks together; `facts` as well *)
Ltac normal facts := repeat progress (
  facts;
  rewrite ?(mulmxDl, mulmxDr, pulll, pullr, mulNmx, mulmxN, mulmxA, mulmx1, mul1mx, mul0mx, mulmx0,
            trD, trZ, trN, trmx_mul, trmxK, trmx1, trmx0, tr_diag_mx);
  rewrite ?(scalerDr, scalerN, opprD, opprK, oppr0, addr0, add0r, scaler0, scale0r, scale1r);
  rewrite ?(tr_row_mx, tr_col_mx, mul_mx_row, mul_row_col, mul_col_mx, scale_row_mx, scale_col_mx,
            opp_row_mx, opp_col_mx, add_row_mx, add_col_mx)).
(* Both sides are then sums of words; each word's entry is a number, and `scalars` compares the sums *)
Ltac same := match goal with |- ?a = ?a => reflexivity end.
Ltac close scalars := first [
  same
| match goal with
  | |- row_mx _ _ = row_mx _ _ => congr row_mx; close scalars
  | |- col_mx _ _ = col_mx _ _ => congr col_mx; close scalars
  end
| let i := fresh in let j := fresh in apply/matrixP=> i j; rewrite ?(addE, oppE, scaleE, zeroE);
  repeat match goal with |- context [@fun_of_matrix ?K ?m ?n ?A ?u ?v] =>
    let x := fresh in set x := (@fun_of_matrix K m n A u v); clearbody x end;
  scalars ].
Ltac algebra facts scalars := first [ same | normal facts; close scalars ].
Ltac units := rewrite ?(unitmx_mul, unitmx_tr, unitmx_inv, unitmx1); repeat (apply/andP; split); assumption.
Ltac cancels := first [ assumption | apply: mulmxV; units | apply: mulVmx; units
                      | apply: tr_inv_l; units | apply: tr_inv_r; units ].
Ltac turns := first [ assumption | rewrite trmx_inv ?trmxK ?tr_diag_mx; solve [ done | congr invmx; assumption ] ].
Ltac inverts := first [ solve [ repeat (rewrite inv_mul; [ | units | units ]); rewrite ?mulmxA; same ]
                     | exact: invmxK | exact: inv_tr | exact: inv_eye | apply: inv_orth; assumption ].
