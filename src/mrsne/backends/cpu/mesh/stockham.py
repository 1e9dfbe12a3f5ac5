"""The Fourier transform of sixteen lines at a time, after Stockham: no reordering, only passes over contiguous rows.

A block holds sixteen lines: number by number, the real parts of all lines and then their imaginary parts. A transform
goes back and forth between two blocks, with one pass for each factor 4, 2, 3 or 5 of the length.
"""

import numpy as np

from mrsne.lanes import WIDTH, put, spread_out, take
from mrsne.loops import inlined

_f, _u = np.float32, np.uint64
ROW = _u(2 * WIDTH)  # numbers of a block's row: sixteen real parts, sixteen imaginary parts
IMAGINARY = _u(WIDTH)
THREE, FIVE_A, FIVE_B = _f(np.sqrt(3) / 2), _f(np.cos(2 * np.pi / 5)), _f(np.cos(4 * np.pi / 5))
FIVE_C, FIVE_D = _f(np.sin(2 * np.pi / 5)), _f(np.sin(4 * np.pi / 5))


@inlined
def transform(x, y, factors, roots):
    """Transform the lines of block x, with y as a second block; return the one that holds the result, and the other.

    With what is left of the length, n, the next factor f combines rows that are n/f · s apart to rows that are s apart.
    """
    n, s = _u(roots.shape[0]), _u(1)
    for position in range(factors.shape[0]):
        f = factors[position]
        if f == _u(4):
            _pass_4(n, s, x, y, roots)
        elif f == _u(2):
            _pass_2(n, s, x, y, roots)
        elif f == _u(3):
            _pass_3(n, s, x, y, roots)
        else:
            _pass_5(n, s, x, y, roots)
        n, s = n // f, s * f
        x, y = y, x
    return x, y


@inlined
def _turn(y, place, real, imaginary, roots, index):
    c, d = spread_out(roots[index, 0]), spread_out(roots[index, 1])
    put(y, place, real * c - imaginary * d)
    put(y, place + IMAGINARY, real * d + imaginary * c)


@inlined
def _pass_2(n, s, x, y, roots):
    m = n // _u(2)
    for p in range(m):
        for q in range(s):
            i, j = (q + s * p) * ROW, (q + s * (p + m)) * ROW
            k = (q + s * _u(2) * p) * ROW
            ar, ai, br, bi = take(x, i), take(x, i + IMAGINARY), take(x, j), take(x, j + IMAGINARY)
            put(y, k, ar + br)
            put(y, k + IMAGINARY, ai + bi)
            _turn(y, k + s * ROW, ar - br, ai - bi, roots, p * s)


@inlined
def _pass_4(n, s, x, y, roots):
    m = n // _u(4)
    far, near = m * s * ROW, s * ROW
    for p in range(m):
        for q in range(s):
            i, k = (q + s * p) * ROW, (q + s * _u(4) * p) * ROW
            ar, ai = take(x, i), take(x, i + IMAGINARY)
            br, bi = take(x, i + far), take(x, i + far + IMAGINARY)
            cr, ci = take(x, i + _u(2) * far), take(x, i + _u(2) * far + IMAGINARY)
            dr, di = take(x, i + _u(3) * far), take(x, i + _u(3) * far + IMAGINARY)
            er, ei, fr, fi = ar + cr, ai + ci, ar - cr, ai - ci
            gr, gi, hr, hi = br + dr, bi + di, br - dr, bi - di
            put(y, k, er + gr)
            put(y, k + IMAGINARY, ei + gi)
            _turn(y, k + near, fr + hi, fi - hr, roots, p * s)
            _turn(y, k + _u(2) * near, er - gr, ei - gi, roots, _u(2) * p * s)
            _turn(y, k + _u(3) * near, fr - hi, fi + hr, roots, _u(3) * p * s)


@inlined
def _pass_3(n, s, x, y, roots):
    m = n // _u(3)
    far, near = m * s * ROW, s * ROW
    half, sine = spread_out(_f(0.5)), spread_out(THREE)
    for p in range(m):
        for q in range(s):
            i, k = (q + s * p) * ROW, (q + s * _u(3) * p) * ROW
            ar, ai = take(x, i), take(x, i + IMAGINARY)
            br, bi = take(x, i + far), take(x, i + far + IMAGINARY)
            cr, ci = take(x, i + _u(2) * far), take(x, i + _u(2) * far + IMAGINARY)
            dr, di = br + cr, bi + ci
            er, ei = (br - cr) * sine, (bi - ci) * sine
            fr, fi = ar - dr * half, ai - di * half
            put(y, k, ar + dr)
            put(y, k + IMAGINARY, ai + di)
            _turn(y, k + near, fr + ei, fi - er, roots, p * s)
            _turn(y, k + _u(2) * near, fr - ei, fi + er, roots, _u(2) * p * s)


@inlined
def _pass_5(n, s, x, y, roots):
    m = n // _u(5)
    far, near = m * s * ROW, s * ROW
    c1, c2, s1, s2 = spread_out(FIVE_A), spread_out(FIVE_B), spread_out(FIVE_C), spread_out(FIVE_D)
    for p in range(m):
        for q in range(s):
            i, k = (q + s * p) * ROW, (q + s * _u(5) * p) * ROW
            ar, ai = take(x, i), take(x, i + IMAGINARY)
            br, bi = take(x, i + far), take(x, i + far + IMAGINARY)
            cr, ci = take(x, i + _u(2) * far), take(x, i + _u(2) * far + IMAGINARY)
            dr, di = take(x, i + _u(3) * far), take(x, i + _u(3) * far + IMAGINARY)
            er, ei = take(x, i + _u(4) * far), take(x, i + _u(4) * far + IMAGINARY)
            fr, fi, gr, gi = br + er, bi + ei, cr + dr, ci + di
            hr, hi, jr, ji = br - er, bi - ei, cr - dr, ci - di
            ur, ui = ar + fr * c1 + gr * c2, ai + fi * c1 + gi * c2
            vr, vi = ar + fr * c2 + gr * c1, ai + fi * c2 + gi * c1
            tr, ti = hr * s1 + jr * s2, hi * s1 + ji * s2
            wr, wi = hr * s2 - jr * s1, hi * s2 - ji * s1
            put(y, k, ar + fr + gr)
            put(y, k + IMAGINARY, ai + fi + gi)
            _turn(y, k + near, ur + ti, ui - tr, roots, p * s)
            _turn(y, k + _u(2) * near, vr + wi, vi - wr, roots, _u(2) * p * s)
            _turn(y, k + _u(3) * near, vr - wi, vi + wr, roots, _u(3) * p * s)
            _turn(y, k + _u(4) * near, ur - ti, ui + tr, roots, _u(4) * p * s)
