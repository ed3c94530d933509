# Installation; filled in with the package tests.
