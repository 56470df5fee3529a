locals {
  région = "eu"
}

variable "region" {
  type    = string
  default = "eu"
}

output "first" {
  description = "Keeps its line"
  value       = local.région
}

resource "aws_vpc" "this" {}
