# hash comment
// slash comment
/* block
   comment { "not a block" } */
variable bare_label {
  default = "CRLF" // trailing
}

variable "one_line" { default = 1 }
variable "__proto__" {
  default = { constructor = "x", "__proto__" = 2 }
}

terraform {
}
