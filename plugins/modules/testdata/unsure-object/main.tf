variable "repeated" {
  default = { a = 1, b = 2, a = 3 }
}
variable "commented_key" {
  default = {
    key /* why */ = "value $${x}"
  }
}
variable "sure" {
  default = { a = 1 }
}
