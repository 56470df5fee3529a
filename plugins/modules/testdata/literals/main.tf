variable "numbers" {
  default = [0, 1, -1, - 2, 1.5, 1.50, 1e3, 1.5E-3, 01, 100]
}
variable "too_big" {
  default = 12345678901234567890
}
variable "too_exact" {
  default = { pi = 3.14159265358979323846264338327950288 }
}
variable "huge" {
  default = 1e400
}
variable "words" {
  default = [null, true, false]
}
variable "escapes" {
  default = "tab\t newline\n return\r quote\" back\\slash \u00e9 \U0001F600"
}
variable "composed" {
  default = "é"
}
variable "empty" {
  default = ""
}
variable "empty_list" {
  default = [ # nothing
  ]
}
variable "empty_object" {
  default = {}
}
variable "objects" {
  default = {
    bare     = 1
    "quoted" = 2, inline = 3
    4        : "number"
    01       = "one"
    null     = "word"
    /* c */ nested = { list = [{ a = [] }] } # d
  }
}
variable "trailing" {
  default = ["a", "b", ]
}
variable "number_string" {
  default = "1"
}
