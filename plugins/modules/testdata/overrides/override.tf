variable "size" {
  default = 3
}

variable "nobody" {
  default = 1
}

terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

resource "aws_vpc" "this" {
  cidr_block = "10.0.0.0/8"
}

resource "aws_vpc" "unknown" {
}
