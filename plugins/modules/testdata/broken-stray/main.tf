variable "first" {
}
}

variable "second" {
  type = (string]
}

variable "third" {
  default = 'single'
}

@decorated

resource "aws_vpc" {
  this is = not a body
}

output "last" {
  value = 1
}
