variable "clean" {
  default = 1
}

variable "in_conflict" {
  type = string
<<<<<<< HEAD
  default = "ours"
=======
  default = "theirs"
>>>>>>> feature/x
  description = "After the conflict"
}

<<<<<<< HEAD
variable "ours" {
}
=======
variable "theirs" {
}
>>>>>>> feature/x

variable "last" {
}
